import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from 'pg';
import { parseInt64 } from '../database/int64.js';
import { CliError } from './cli-error.js';
import type { Row } from '../database/statement.js';
import { type CliContext, confirm } from './context.js';
import { printRow } from './output.js';
import { changeDatabase, queryOne, withDatabase } from './session.js';

/** A key by its id, or by its prefix, which customers know. */
export type KeyReference = { readonly id: bigint } | { readonly prefix: string };

/** Adds a command whose first argument is a `KeyReference`, with `--json`. */
export const addKeyCommand = (keys: Command, name: string, description: string): Command =>
  keys
    .command(name)
    .argument('<key>', 'id of the key, or its first 12 characters (psk_…)', parseKeyReference)
    .option('--json', 'print JSON')
    .description(description);

/** Undefined for a text that is neither an id nor a key. */
export function toKeyReference(text: string): KeyReference | undefined {
  const id = parseInt64(text);
  if (id !== undefined) return { id };
  const [prefix] = /^psk_[0-9A-Za-z]{8}/.exec(text) ?? [];
  return prefix === undefined ? undefined : { prefix };
}

function parseKeyReference(text: string): KeyReference {
  const reference = toKeyReference(text);
  if (reference !== undefined) return reference;
  throw new InvalidArgumentError(
    'It must be an id such as 7, or the first 12 characters of a key, such as psk_8QvR2mXa.',
  );
}

/** A row of `api_key_overview`. */
export interface KeyOverview extends Row {
  readonly id: bigint;
  readonly name: string;
  readonly prefix: string | null;
}

/** @throws CliError when no key, or more than one, has the prefix; whether an id exists is not checked */
export async function findKeyId(client: Client, reference: KeyReference): Promise<bigint> {
  if ('id' in reference) return reference.id;
  const { prefix } = reference;
  const { rows } = await client.query<{ id: bigint }>(
    `select distinct api_key_id as id from api_key_secrets where prefix = $1 order by id`,
    [prefix],
  );
  const [first, second] = rows;
  if (first === undefined) {
    throw new CliError(`No key begins with ${prefix}.`, 'To find a key: petstore keys list --name acme');
  }
  if (second === undefined) return first.id;
  const ids = rows.map(({ id }) => id).join(', ');
  throw new CliError(`${rows.length} keys begin with ${prefix}.`, `Use the id instead: ${ids}.`);
}

/** @throws DatabaseError with a hint when the key does not exist */
export const overviewOf = (client: Client, id: bigint): Promise<KeyOverview> =>
  queryOne<KeyOverview>(client, 'select * from api_key_overview_of(key_id => $1)', [id]);

interface KeyChange {
  /** A function of the operators' SQL interface, which returns a row of `api_key_overview`; `$1` is the key's id. */
  readonly call: string;
  /** From `$2` on. */
  readonly values?: readonly unknown[];
  /** A query of `$1` whose columns are printed as well, as they are after the change. */
  readonly also?: string;
  /** A change to confirm first; `yes` when `--yes` was given or the change can be undone. */
  readonly ask?: { readonly yes: boolean; readonly question: (key: KeyOverview) => string };
}

/** Changes one key and prints it. */
export async function changeKey(
  context: CliContext,
  key: KeyReference,
  json: true | undefined,
  { call, values = [], also, ask }: KeyChange,
): Promise<void> {
  if (ask !== undefined && !ask.yes) {
    // Not in the transaction of the change: a person takes time.
    const found = await withDatabase(context, async ({ client }) =>
      overviewOf(client, await findKeyId(client, key)),
    );
    await confirm(context, ask.question(found));
  }
  const row = await changeDatabase(context, async (client) => {
    const id = await findKeyId(client, key);
    const changed = await queryOne(client, `select * from ${call}`, [id, ...values]);
    return also === undefined ? changed : { ...changed, ...(await queryOne(client, also, [id])) };
  });
  printRow(context, json, row);
}
