import type { ClientBase, Pool } from 'pg';

/** Prisma's own table, so that its command line and this service agree on what has been applied. */
const TABLE = 'public._prisma_migrations';

const IS_APPLIED = 'finished_at is not null and rolled_back_at is null';

/** The checksums of the applied migrations by name, in their order; none on a database that was never migrated. */
export async function readRecords(database: Pool | ClientBase): Promise<ReadonlyMap<string, string>> {
  const tables = await database.query<{ found: boolean }>(
    `select to_regclass('${TABLE}') is not null as found`,
  );
  if (tables.rows[0]?.found !== true) return new Map();
  const { rows } = await database.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from ${TABLE} where ${IS_APPLIED} order by started_at, migration_name`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** SQL of a column: the names of the applied migrations. Without the table the statement fails (`isUndefinedTable`). */
export const APPLIED_MIGRATIONS = `array(select migration_name::text from ${TABLE} where ${IS_APPLIED})`;

/** Creates the table as Prisma would. */
export const CREATE_RECORDS_TABLE = `
  create table if not exists ${TABLE} (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0)`;

/** Records the migration $1 with the checksum $2 as applied. */
export const INSERT_RECORD = `
  insert into ${TABLE} (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
  values (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`;
