import { type Command, Option } from 'commander';
import type { Client } from 'pg';
import { dayCount } from '../arguments.js';
import { addChangeCommand, overviewOf } from '../change-key.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import { findKeyId, type KeyReference } from '../key-reference.js';
import { type Column, type Row, shown, toFacts, toJson, toTable } from '../output.js';
import { withDatabase } from '../session.js';

/** As `GET /v1/usage` tells the key's holder. */
const DAYS = 31;

export function addKeysLookCommands(keys: Command, context: CliContext): void {
  const show = addChangeCommand(
    keys,
    'show',
    'One key with its limits, state, use and secrets, at this instant.',
  )
    .option('--json', 'print one object, with an array of its secrets as secret_list')
    .action(async (reference: KeyReference, { json }: { readonly json?: true }) => {
      const { key, secrets } = await withDatabase(context, async ({ client }) => {
        const id = await findKeyId(client, reference);
        return { key: await overviewOf(client, id), secrets: await secretsOf(client, id) };
      });
      if (json === true) context.print(toJson({ ...key, secret_list: secrets }));
      else context.print(`${toFacts(key)}\n${table(SECRET_COLUMNS, secrets)}`);
    });
  addExamples(show, 'petstore keys show 7', 'petstore keys show psk_Zx81Qp0a');

  const usage = addChangeCommand(
    keys,
    'usage',
    'Requests of a key by UTC day, the present one last; days without any are left out.',
  )
    .addOption(
      new Option('--days <days>', 'how many, the present one included').argParser(dayCount).default(DAYS),
    )
    .option('--json', 'print an array')
    .action(async (key: KeyReference, { days, json }: { readonly days: number; readonly json?: true }) => {
      const rows = await withDatabase(context, async ({ client }) => {
        const { id } = await overviewOf(client, await findKeyId(client, key));
        return await usageOf(client, id, days);
      });
      context.print(json === true ? toJson(rows) : table(USAGE_COLUMNS, rows));
    });
  addExamples(usage, 'petstore keys usage 7', 'petstore keys usage 7 --days 400 --json');
}

const SECRET_COLUMNS: readonly Column[] = [
  { title: 'prefix' },
  { title: 'created_at' },
  { title: 'expires_at' },
];

async function secretsOf(client: Client, id: bigint): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(
    'select prefix, created_at, expires_at from api_key_secrets where api_key_id = $1 order by created_at',
    [id],
  );
  return rows;
}

const USAGE_COLUMNS: readonly Column[] = [
  { title: 'day' },
  { title: 'admitted', align: 'right' },
  { title: 'refused', align: 'right' },
];

async function usageOf(client: Client, id: bigint, days: number): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(
    `select day, admitted, refused
     from api_key_daily_usage
     where api_key_id = $1 and day > (statement_timestamp() at time zone 'UTC')::date - $2::int
     order by day`,
    [id, days],
  );
  return rows;
}

const table = (columns: readonly Column[], rows: readonly Row[]): string =>
  toTable(
    columns,
    rows.map((row) => columns.map(({ title }) => shown(row[title]))),
  );
