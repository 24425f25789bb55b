import type { Client } from 'pg';
import {
  isUnchanged,
  listMigrations,
  MIGRATIONS_DIRECTORY,
  readMigrations,
  readRecords,
} from '../../database/migration-files.js';
import {
  PRINTED_DEFINITIONS,
  readSchemaObjects,
  readTemporaryDefinitions,
  SCHEMA_OBJECTS,
} from '../../database/schema-objects.js';
import type { Row } from '../../database/statement.js';
import { type Check, type CheckContext, fail, ok, type Result, firstOf, warn } from './check.js';

export const checkMigrations: Check = async ({ client }) => {
  const files = await readMigrations(MIGRATIONS_DIRECTORY);
  const records = await readRecords(client);
  const pending = files.filter(({ name }) => !records.has(name));
  if (pending.length > 0) {
    return fail(`${pending.length} of ${files.length} are not applied: run \`petstore db migrate\`.`);
  }
  const edited = files.find((file) => !isUnchanged(file, records.get(file.name) ?? ''));
  if (edited !== undefined) {
    return warn(`${edited.name} was edited after it was applied: restore the file and add a new migration.`);
  }
  const ahead = records.size - files.length;
  return ok(`${files.length} applied${ahead > 0 ? `, and ${ahead} of a newer release` : ''}`);
};

/** What a restore in parts or an operator's statement may have left out or changed, which no request notices at first. */
export const checkObjects = async ({ client }: Pick<CheckContext, 'client'>): Promise<Result> => {
  if ((await readRecords(client)).size > (await listMigrations(MIGRATIONS_DIRECTORY)).length)
    return ok('not compared: the database has migrations of a newer release');
  const { rows } = await client.query<{ object: string; facts: string[] }>(SCHEMA_OBJECTS);
  const present = new Map(rows.map(({ object, facts }) => [object, facts]));
  const wanted = await readSchemaObjects();
  const missing = wanted.filter(({ object }) => !present.has(object)).map(({ object }) => object);
  if (missing.length > 0)
    return fail(
      `${firstOf(missing)} ${missing.length === 1 ? 'is' : 'are'} missing, disabled or not valid. ${REMEDY}`,
    );
  const differing = wanted.flatMap(({ object, facts }) => {
    const found = present.get(object) ?? [];
    const has = found.filter((fact) => !facts.includes(fact)).join(', ');
    const lacks = facts.filter((fact) => !found.includes(fact)).join(', ');
    if (has === '') return lacks === '' ? [] : [`${object} lacks ${lacks}`];
    return [`${object} has ${has}${lacks === '' ? '' : ` instead of ${lacks}`}`];
  });
  if (differing.length > 0)
    return fail(
      `${firstOf(differing)}. As the owner, undo that (alter …), or run its definition in prisma/sql again.`,
    );
  const changed = await changedDefinitions(client);
  if (changed === undefined)
    return ok(
      'every object is there as released; the text of views was not compared, because this role may not create temporary ones',
    );
  if (changed.length > 0) return fail(`${firstOf(changed)} has another definition. ${REMEDY}`);
  return ok('every object is there as released, and works');
};

const REMEDY = 'Their definitions are in prisma/sql and prisma/migrations: as the owner, run them again.';

/**
 * The views and functions that are not those of this release. What a server prints depends on its version, and a restore creates them from
 * that print: so the same server prints this release's, and those that are created from the print.
 */
async function changedDefinitions(client: Client): Promise<readonly string[] | undefined> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_database_privilege(current_database(), 'temporary') and not current_setting('transaction_read_only')::boolean as may`,
  );
  if (rows[0]?.may !== true) return undefined;
  await client.query('savepoint definitions; set local search_path = public, pg_temp');
  const present = await printed(client, false);
  await client.query((await readTemporaryDefinitions()).join('\n'));
  const released = await printed(client, true);
  await client.query(released.map(({ statement }) => statement).join('\n'));
  const restored = await printed(client, true);
  await client.query('rollback to savepoint definitions');
  const right = new Set([...released, ...restored].map(({ object, text }) => object + text));
  const names = new Set(released.map(({ object }) => object));
  return present
    .filter(({ object, text }) => names.has(object) && !right.has(object + text))
    .map(({ object }) => object);
}

interface Printed extends Row {
  readonly object: string;
  readonly text: string;
  readonly statement: string;
}

const printed = async (client: Client, isTemporary: boolean): Promise<readonly Printed[]> =>
  (await client.query<Printed>(PRINTED_DEFINITIONS, [isTemporary])).rows;

/** Above it a JavaScript client reads several ids as one number. */
const SAFE_ID_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** Percent of a sequence. Below it an operator must act: ids do not run out by themselves, so something has moved it. */
const LEFT_MIN = 10;

/**
 * Rows that were inserted with explicit ids do not move the sequence. The service and issue_api_key do so at the first collision.
 * Callers choose numbers of categories, and new_category skips them.
 */
export const checkIds: Check = async ({ client }) => {
  const { rows } = await client.query<{
    table: string;
    sequence: string;
    last: bigint;
    left: number;
    isBehind: boolean;
  }>(
    `select table_name as "table", sequence_name as "sequence", last, trunc(100 * (9223372036854775807 - last::numeric) / 9223372036854775807, 2)::float as left,
       table_name <> 'categories' and next_ids_are_used(table_name, last) as "isBehind"
     from drawn_ids()
     cross join lateral (select coalesce(pg_sequence_last_value(quote_ident(sequence_name)::regclass), 0)) as drawn (last)
     where has_table_privilege(quote_ident(table_name), 'select') and has_sequence_privilege(quote_ident(sequence_name), 'usage')`,
  );
  const setBack = ({ sequence, last }: (typeof rows)[number]): string =>
    `The last one is ${last}: as the owner, set it back to a value that is followed by free ids: select setval('${sequence}', …);`;
  const ending = rows.find(({ left }) => left < LEFT_MIN);
  if (ending !== undefined)
    return fail(`${ending.table} has ${ending.left} % of its ids left. ${setBack(ending)}`);
  const unsafe = rows.find(({ last }) => last > SAFE_ID_MAX);
  if (unsafe !== undefined)
    return warn(
      `new ids of ${unsafe.table} are above ${SAFE_ID_MAX}, which JavaScript clients cannot tell apart. ${setBack(unsafe)}`,
    );
  const behind = rows.filter(({ isBehind }) => isBehind).map(({ table }) => table);
  if (behind.length > 0) {
    const fix = behind.map((table) => `select skip_used_ids('${table}');`).join(' ');
    return warn(
      `the sequences of ${behind.join(', ')} are behind ids that are in use, so a new row may fail or take longer. As the owner, run: ${fix}`,
    );
  }
  if (rows.length === 0) return ok('not checked: this role may not read the sequences');
  const left = rows.map((row) => `${row.table} ${row.left} %`).join(', ');
  return ok(`new rows get unused ids; left: ${left}`);
};

/** Bans begin again only after such a time: a clock was ahead, or the trigger that rejects it was disabled. */
export const checkBans: Check = async ({ client }) => {
  const { rows } = await client.query<{ key: string }>(
    `select format('key %s until %s', id, bans_lifted_at) as key
     from api_keys where bans_lifted_at > latest_lift() order by id limit 100`,
  );
  if (rows.length === 0) return ok('every key can be banned');
  const keys = firstOf(rows.map(({ key }) => key));
  return warn(
    `bans are lifted in the future, so they do not hold: ${keys}. Set bans_lifted_at to now() for each.`,
  );
};
