// The functions, views, triggers and comments of the schema, as the files of prisma/sql define them and as a database has them.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root } from './project.mjs';

export const SOURCES = 'prisma/sql';

/** The kind of object that the files of a folder define, by the last part of its name. */
const KINDS = { functions: 'function', views: 'view', triggers: 'trigger', comments: 'comments of' };

/** The files, each with the object that it defines. */
export async function readSources(directory = join(root, SOURCES)) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.sql'));
  const sources = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const kind = KINDS[basename(parentPath)] ?? basename(parentPath);
    return { path, object: `${kind} ${basename(name, '.sql')}`, sql: await readFile(path, 'utf8') };
  });
  return (await Promise.all(sources)).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Objects of extensions are not ours. */
const isOwn = (catalog, oid) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and deptype = 'e')`;

/**
 * Each object of the schema public by its kind and name, with all that a file can say of it. Overloads are one object. Of rights, only
 * those of PUBLIC: prisma/roles.sql grants the others.
 */
const DEFINITIONS = `
  with own as (
    select oid, relname, relkind, reloptions from pg_class c
    where relnamespace = 'public'::regnamespace and relname <> '_prisma_migrations' and ${isOwn('pg_class', 'c.oid')}
  ), described as (
    select 'function ' || proname as object,
      concat_ws(E'\\n', pg_get_functiondef(oid), obj_description(oid, 'pg_proc'), case when exists (
        select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0) then 'public' end) as definition
    from pg_proc p
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'w') and ${isOwn('pg_proc', 'p.oid')}
    union all
    select 'view ' || relname, concat_ws(E'\\n', reloptions::text, pg_get_viewdef(oid))
    from own where relkind = 'v'
    union all
    select 'trigger ' || tgname, concat_ws(E'\\n', pg_get_triggerdef(t.oid), tgenabled, obj_description(t.oid, 'pg_trigger'))
    from pg_trigger t join own on own.oid = tgrelid
    where not tgisinternal
    union all
    select case relkind when 'v' then 'view ' else 'comments of ' end || relname, concat_ws('.', attname, description)
    from own
    join pg_description on objoid = own.oid and classoid = 'pg_class'::regclass
    left join pg_attribute on attrelid = own.oid and attnum = objsubid and objsubid > 0
    where relkind in ('r', 'v', 'c')
    union all
    select 'comments of ' || indrelid::regclass::name, concat_ws('.', relname, obj_description(own.oid, 'pg_class'))
    from pg_index join own on own.oid = indexrelid
    where obj_description(own.oid, 'pg_class') is not null
    union all
    select 'comments of ' || typname, obj_description(oid, 'pg_type')
    from pg_type
    where typnamespace = 'public'::regnamespace and obj_description(oid, 'pg_type') is not null
  )
  select object, string_agg(definition, E'\\n' order by definition) as definition from described group by object`;

/** The definition of each object of a database, to be compared. */
export async function readDefinitions(client) {
  const { rows } = await client.query(DEFINITIONS);
  return new Map(rows.map(({ object, definition }) => [object, definition]));
}

/** Removes everything that the files define. Triggers go with their functions. */
const REMOVE = `
  do $$
  declare
    removal text;
  begin
    foreach removal in array array(
      select format('drop view if exists %s cascade', oid::regclass)
      from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'v' and ${isOwn('pg_class', 'c.oid')}
      union all
      select format('drop function if exists %s cascade', oid::regprocedure)
      from pg_proc p
      where pronamespace = 'public'::regnamespace and prokind in ('f', 'w') and ${isOwn('pg_proc', 'p.oid')}
      union all
      select case
          when relkind = 'i' then format('comment on index %s is null', objoid::regclass)
          when objsubid > 0 then format('comment on column %s.%I is null', objoid::regclass, attname)
          else format('comment on table %s is null', objoid::regclass)
        end
      from pg_description
      join pg_class c on c.oid = objoid and classoid = 'pg_class'::regclass
      left join pg_attribute on attrelid = c.oid and attnum = objsubid
      where relnamespace = 'public'::regnamespace and relkind <> 'v'
      union all
      select format('comment on type %s is null', oid::regtype)
      from pg_type
      where typnamespace = 'public'::regnamespace and obj_description(oid, 'pg_type') is not null)
    loop
      execute removal;
    end loop;
  end
  $$`;

/**
 * Runs files in the client's transaction, those that others depend on first.
 *
 * @returns the files in the order that succeeded, and the errors of the others by file
 */
export async function applySources(client, sources) {
  const applied = [];
  for (let waiting = sources; ;) {
    const errors = new Map();
    for (const source of waiting) {
      await client.query('savepoint source');
      await client.query(source.sql).then(
        () => applied.push(source),
        (error) => errors.set(source, error.message),
      );
      if (errors.has(source)) await client.query('rollback to savepoint source');
    }
    if (errors.size === 0 || errors.size === waiting.length) return { applied, errors };
    waiting = [...errors.keys()];
  }
}

/** Runs work in a transaction that is rolled back. */
export async function inVain(client, work) {
  await client.query('begin');
  try {
    return await work();
  } finally {
    await client.query('rollback');
  }
}

/** The definitions that the files alone make, from the tables and types of the database. */
export const rebuild = (client, sources) =>
  inVain(client, async () => {
    await client.query(REMOVE);
    const { errors } = await applySources(client, sources);
    return { definitions: await readDefinitions(client), errors };
  });

/** A view keeps the columns that `*` meant at its creation, and gains none that its source adds later. */
const STAR_OF_OBJECT = /(?:\bselect|,)\s+(?:\w+\.)?\*(?:(?!\bfrom\b)[^])*\bfrom\s+\w/i;

const hasStar = ({ object, sql }) =>
  object.startsWith('view ') && STAR_OF_OBJECT.test(sql.replaceAll(/--.*|'(?:[^']|'')*'/g, ''));

/** The checks of a database by name, each with what it says and the functions that it calls. */
export async function readChecks(client) {
  const { rows } = await client.query(
    `select format('%s of %s', conname, conrelid::regclass) as name, pg_get_constraintdef(c.oid) as definition,
       array(
         select proname::text from pg_depend join pg_proc p on p.oid = refobjid
         where classid = 'pg_constraint'::regclass and objid = c.oid and refclassid = 'pg_proc'::regclass) as functions
     from pg_constraint c
     where connamespace = 'public'::regnamespace and contype = 'c'
     order by name`,
  );
  return new Map(rows.map(({ name, ...check }) => [name, check]));
}

/** Differences between files and database: the files to apply, and messages for what no file can fix. */
export async function compare(client, sources) {
  const present = await readDefinitions(client);
  const { definitions: wanted, errors } = await rebuild(client, sources);
  const bySource = new Map(sources.map((source) => [source.object, source]));
  return {
    changed: sources.filter(({ object }) => wanted.get(object) !== present.get(object)),
    faults: [
      ...[...errors].map(([{ path }, message]) => `${path}: ${message}`),
      ...sources.filter(hasStar).map(({ path }) => `${path}: name the columns: "*" is expanded only once`),
      ...sources
        .filter((source) => !errors.has(source) && !wanted.has(source.object))
        .map(({ path, object }) => `${path}: does not define the ${object}`),
      ...[...new Set([...present.keys(), ...wanted.keys()])]
        .filter((object) => !bySource.has(object))
        .map((object) => `${object}: has no file in ${SOURCES}`),
    ],
    wanted,
  };
}
