import type { Pool } from 'pg';

/** Rights by name, in an order of their own. PUBLIC is `public`. */
const rights = (acl: string): string => `
  coalesce((
    select string_agg(format('%s=%s%s', coalesce(rolname, 'public'), privilege_type, case when is_grantable then '*' end), ', '
      order by coalesce(rolname, 'public'), privilege_type)
    from aclexplode(${acl}) left join pg_roles on pg_roles.oid = grantee), 'none')`;

/** Everything of the schema public that a statement can change, with the rows of the tables that a migration fills. */
const CATALOG = `
  select 'schema public', concat_ws(' | ', nspowner::regrole, ${rights('nspacl')}, obj_description(oid, 'pg_namespace'))
  from pg_namespace where nspname = 'public'
  union all
  select format('%s %s', case relkind when 'r' then 'table' when 'v' then 'view' when 'S' then 'sequence' when 'c' then 'type' else relkind::text end, relname),
    concat_ws(' | ', relowner::regrole, relpersistence, reloptions::text, relrowsecurity, relreplident, ${rights(
      `coalesce(relacl, case when relkind in ('r', 'v', 'S') then acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner) end)`,
    )}, obj_description(oid, 'pg_class'), case when relkind = 'v' then pg_get_viewdef(oid) end)
  from pg_class where relnamespace = 'public'::regnamespace and relkind not in ('i', 't')
  union all
  select format('column %s of %s', attname, relname), concat_ws(' | ',
    row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod), attcollation::regcollation, attnotnull, attidentity, attgenerated,
    attstorage, attcompression, pg_get_expr(adbin, adrelid), ${rights('attacl')}, col_description(attrelid, attnum))
  from pg_attribute
  join pg_class on pg_class.oid = attrelid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'c') and attnum > 0 and not attisdropped
  union all
  select format('constraint %s of %s', conname, coalesce(conrelid::regclass::text, 'a type')),
    concat_ws(' | ', pg_get_constraintdef(oid), convalidated, conislocal, connoinherit, obj_description(oid, 'pg_constraint'))
  from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select format('index %s', indexrelid::regclass), concat_ws(' | ', pg_get_indexdef(indexrelid), indisvalid, indisclustered, obj_description(indexrelid, 'pg_class'))
  from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace
  union all
  select format('sequence %s draws', seqrelid::regclass), concat_ws(' | ', format_type(seqtypid, null), seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle,
    pg_sequence_last_value(seqrelid), (
      select format('%s.%s', refobjid::regclass, attname) from pg_depend join pg_attribute on attrelid = refobjid and attnum = refobjsubid
      where classid = 'pg_class'::regclass and objid = seqrelid and deptype in ('a', 'i')))
  from pg_sequence join pg_class on pg_class.oid = seqrelid where relnamespace = 'public'::regnamespace
  union all
  select format('type %s is', typname), concat_ws(' | ', typowner::regrole, typtype, ${rights(`coalesce(typacl, acldefault('T', typowner))`)}, obj_description(oid, 'pg_type'),
    array(select enumlabel from pg_enum where enumtypid = pg_type.oid order by enumsortorder)::text)
  from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'c', 'd') and typname not like '\\_prisma%'
  union all
  select format('function %s', oid::regprocedure), concat_ws(' | ', proowner::regrole, ${rights(`coalesce(proacl, acldefault('f', proowner))`)}, obj_description(oid, 'pg_proc'), pg_get_functiondef(oid))
  from pg_proc where pronamespace = 'public'::regnamespace and prokind <> 'a'
  union all
  select format('trigger %s of %s', tgname, tgrelid::regclass), concat_ws(' | ', pg_get_triggerdef(pg_trigger.oid), tgenabled, obj_description(pg_trigger.oid, 'pg_trigger'))
  from pg_trigger join pg_class on pg_class.oid = tgrelid
  where relnamespace = 'public'::regnamespace and not tgisinternal
  union all
  select format('setting of %s', coalesce(rolname, 'the database')), setconfig::text
  from pg_db_role_setting left join pg_roles on pg_roles.oid = setrole
  where setdatabase = (select oid from pg_database where datname = current_database())
    -- Logins of other tests on this server, which the roles set up, too.
    and coalesce(rolname, '') !~ '^petstore_test_'
  union all
  select format('default rights of %s on %s', defaclrole::regrole, defaclobjtype), ${rights('defaclacl')} from pg_default_acl
  union all
  select format('policy %s of %s', policyname, tablename), concat_ws(' | ', cmd, roles::text, qual, with_check) from pg_policies
  union all
  select format('migration %s', migration_name), concat_ws(' | ', checksum, finished_at is not null, rolled_back_at) from _prisma_migrations`;

/** The whole catalog of a database, by name of the object. */
export async function catalogOf(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<[name: string, definition: string]>({ text: CATALOG, rowMode: 'array' });
  const catalog = new Map(rows);
  if (catalog.size !== rows.length) throw new Error('two objects have one name');
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '_prisma_migrations'`,
  );
  for (const { name } of tables) {
    const { rows: filled } = await pool.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} as t order by 1`,
    );
    catalog.set(`rows of ${name}`, filled.map(({ row }) => row).join('\n'));
  }
  return catalog;
}

/** What differs between two catalogs: names, each with what one and the other has. */
export function catalogDifferences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly [one: string | undefined, other: string | undefined]>> {
  const names = [...new Set([...one.keys(), ...other.keys()])].sort();
  return Object.fromEntries(
    names
      .filter((name) => one.get(name) !== other.get(name))
      .map((name) => [name, [one.get(name), other.get(name)]]),
  );
}
