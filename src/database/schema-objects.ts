import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_DIRECTORY } from './migration-files.js';

/** SQL for the objects of the schema that work, one in each row: a trigger that is disabled and an index that was not built do not. */
export const SCHEMA_OBJECTS = `
  select concat_ws(' ', kind, name, 'on ' || "table") as object
  from (
    select case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, relname, null
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')
    union all
    select 'function', format('%s(%s)', proname, array_to_string(array(
        select typname from unnest(proargtypes) with ordinality as argument (type, nth) join pg_type t on t.oid = type order by nth), ', ')), null
    from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select 'trigger', tgname, relname
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled in ('O', 'A')
    union all
    select 'index', i.relname, t.relname
    from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
    where t.relnamespace = 'public'::regnamespace and indisvalid
    union all
    select 'constraint', conname, relname
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where relnamespace = 'public'::regnamespace and contype in ('c', 'f', 'p', 'u') and convalidated
  ) as objects (kind, name, "table")
  where name <> '_prisma_migrations' and coalesce("table", '') <> '_prisma_migrations'
  order by concat_ws(' ', kind, name, 'on ' || "table") collate "C"`;

/** The file that has those of this release, one in each line. @public for the tool that writes it. */
export const SCHEMA_OBJECTS_FILE = join(MIGRATIONS_DIRECTORY, 'objects.txt');

export const readSchemaObjects = async (): Promise<readonly string[]> =>
  (await readFile(SCHEMA_OBJECTS_FILE, 'utf8')).trim().split('\n');
