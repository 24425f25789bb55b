import type { ClientBase, Pool } from 'pg';

/** Prisma's own table, so that its command line and this service agree on what has been applied. */
const TABLE = 'public._prisma_migrations';

/** A recorded migration. `failed`: Prisma's command line began it, and it was neither finished nor resolved. */
export interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  readonly state: 'applied' | 'failed';
}

/** The records in the order in which the migrations were applied; none on a database that was never migrated. */
export async function readRecords(database: Pool | ClientBase): Promise<MigrationRecord[]> {
  const tables = await database.query<{ found: boolean }>(
    `select to_regclass('${TABLE}') is not null as found`,
  );
  if (tables.rows[0]?.found !== true) return [];
  const { rows } = await database.query<MigrationRecord>(
    `select migration_name as name, checksum,
            case when finished_at is null then 'failed' else 'applied' end as state
     from ${TABLE}
     where rolled_back_at is null
     order by started_at, migration_name`,
  );
  return rows;
}

/** SQL of a column: the names of the applied migrations. Without the table the statement fails (`isUndefinedTable`). */
export const APPLIED_MIGRATIONS = `array(
      select migration_name::text from ${TABLE}
      where finished_at is not null and rolled_back_at is null)`;

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

/** Records the migration $1 with the checksum $2 as applied, unless the transaction is another than $3. */
export const INSERT_RECORD = `
  insert into ${TABLE} (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
  select gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1
  where pg_current_xact_id()::text = $3`;
