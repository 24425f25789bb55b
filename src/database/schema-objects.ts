import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MIGRATIONS_DIRECTORY } from './migration-files.js';

/**
 * SQL for the working objects of the schema, one per row, with the properties that define them: a disabled trigger or an index
 * that is not valid does not work. Unlike printed expressions, these are the same on every PostgreSQL version and after a restore.
 */
export const SCHEMA_OBJECTS = `
  select concat_ws(' ', kind, name, 'on ' || "table") as object,
    array_remove(facts || case when owner <> (select relowner from pg_class where oid = to_regclass('public.plans')) then 'owner ' || owner::regrole end, null) as facts
  from (
    select case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, relname::text, null, relowner,
      case when relkind = 'r' then array[case when relpersistence = 'u' then 'unlogged' end, case when relrowsecurity then 'row security' end]
      when relkind = 'v' then reloptions end
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')
    union all
    select 'column', attname, relname, relowner, array[format_type(atttypid, atttypmod), case when attnotnull then 'not null' else 'null' end]
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all
    select 'function', format('%s(%s)', proname, array_to_string(array(
        select typname from unnest(proargtypes) with ordinality as argument (type, nth) join pg_type t on t.oid = type order by nth), ', ')), null, proowner,
      array[case when prosecdef then 'security definer' else 'security invoker' end, case provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end]
        || proconfig || ('text ' || left(encode(sha256(convert_to(replace(prosrc, chr(13), ''), 'UTF8')), 'hex'), 12))
    from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select 'type', typname, null, typowner, array(select enumlabel::text from pg_enum where enumtypid = pg_type.oid order by enumsortorder)
    from pg_type left join pg_class on pg_class.oid = typrelid
    where typnamespace = 'public'::regnamespace and (typtype = 'e' or relkind = 'c')
    union all
    select 'trigger', tgname, relname, relowner, array['calls ' || (select proname from pg_proc where oid = tgfoid)]
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled in ('O', 'A')
    union all
    select 'index', i.relname, t.relname, t.relowner, array[case when indisunique then 'unique' end]
    from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
    where t.relnamespace = 'public'::regnamespace and indisvalid
    union all
    select 'constraint', conname, relname, relowner, '{}'
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where relnamespace = 'public'::regnamespace and contype in ('c', 'f', 'p', 'u') and convalidated
  ) as objects (kind, name, "table", owner, facts)
  where name <> '_prisma_migrations' and coalesce("table", '') <> '_prisma_migrations'
  order by concat_ws(' ', kind, name, 'on ' || "table") collate "C"`;

export interface SchemaObject {
  readonly object: string;
  readonly facts: readonly string[];
}

/** The file with the objects of this release, one per line. @public for the tool that writes it. */
export const SCHEMA_OBJECTS_FILE = join(MIGRATIONS_DIRECTORY, 'objects.txt');

const SEPARATOR = ' | ';

/** A line of the file. @public for the tool that writes it. */
export const toLine = ({ object, facts }: SchemaObject): string => [object, ...facts].join(SEPARATOR);

export async function readSchemaObjects(): Promise<readonly SchemaObject[]> {
  const text = await readFile(SCHEMA_OBJECTS_FILE, 'utf8');
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(SEPARATOR))
    .map(([object = '', ...facts]) => ({ object, facts }));
}

/** The same from src/database and, compiled, from dist/database. */
const SQL_DIRECTORY = fileURLToPath(new URL('../../prisma/sql', import.meta.url));

/** A view is stored as a parse tree, as is a function whose body is not a string: how a server prints it depends on its version. */
const STORED_AS_TREE = /^create or replace (?:view|function(?![^]*\bas \$\$))/;

/** This release's statements that create them, but only for the session. */
export async function readTemporaryDefinitions(): Promise<readonly string[]> {
  const entries = await readdir(SQL_DIRECTORY, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && /^(?:views|functions)$/.test(basename(entry.parentPath)),
  );
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  return texts
    .flatMap((text) => text.split(/^(?=(?:create or replace|comment on|revoke) )/m))
    .filter((statement) => STORED_AS_TREE.test(statement))
    .map((statement) =>
      statement
        .replace(/^create or replace view/, 'create or replace temporary view')
        .replace(/^create or replace function /, 'create or replace function pg_temp.'),
    );
}

/** How the server prints them, in the schema public or ($1) for the session, with a statement that recreates each from its print. */
export const PRINTED_DEFINITIONS = `
  select 'view ' || relname as object, text, format('create or replace temporary view %I as %s', relname, text) as statement
  from pg_class cross join pg_get_viewdef(oid) as text
  where relkind = 'v' and relnamespace = case when $1 then pg_my_temp_schema() else 'public'::regnamespace end
  union all
  select format('function %s(%s)', proname, pg_get_function_identity_arguments(oid)), text, pg_get_functiondef(oid) || ';'
  from pg_proc cross join pg_get_function_sqlbody(oid) as text
  where prosqlbody is not null and pronamespace = case when $1 then pg_my_temp_schema() else 'public'::regnamespace end`;
