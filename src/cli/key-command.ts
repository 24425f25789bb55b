import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from 'pg';
import { parseInt64 } from '../http/input/int64.js';
import { CliError } from './cli-error.js';
import { type CliContext, confirm } from './context.js';
import { type Row, toFacts, toJson } from './output.js';
import { inTransaction, queryOne, withDatabase } from './session.js';

/** How a person names a key: by its id, or by how its plain text begins, which customers and logs show. */
export type KeyReference = { readonly id: bigint } | { readonly prefix: string };

/** Adds a command whose first argument is a `KeyReference`. */
export const addKeyCommand = (keys: Command, name: string, description: string): Command =>
  keys
    .command(name)
    .argument('<key>', 'its id, or the first 12 characters of the key (psk_…)', parseKeyReference)
    .description(description);

function parseKeyReference(text: string): KeyReference {
  const id = parseInt64(text);
  if (id !== undefined) return { id };
  const [prefix] = /^psk_[0-9A-Za-z]{8}/.exec(text) ?? [];
  if (prefix !== undefined) return { prefix };
  throw new InvalidArgumentError('It must be an id such as 7, or a key that begins with psk_.');
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
    throw new CliError(`no key begins with ${prefix}`, 'Look for it: petstore keys list --name acme');
  }
  if (second === undefined) return first.id;
  const ids = rows.map(({ id }) => id).join(', ');
  throw new CliError(`${rows.length} keys begin with ${prefix}: ${ids}.`, 'Give the id.');
}

/** Fails, with the database's hint where to look, when there is no such key. */
export const overviewOf = (client: Client, id: bigint): Promise<KeyOverview> =>
  queryOne<KeyOverview>(client, 'select * from api_key_overview_of(key_id => $1)', [id]);

interface KeyChange {
  /** A function of the operators' SQL interface, which returns a row of `api_key_overview`; `$1` is the key's id. */
  readonly call: string;
  /** From `$2` on. */
  readonly values?: readonly unknown[];
  /** A question about the key as it is, unless the answer is known to be yes. */
  readonly ask?: { readonly yes: boolean; readonly question: (key: KeyOverview) => string };
}

/** Changes one key and prints it. */
export async function changeKey(
  context: CliContext,
  key: KeyReference,
  json: true | undefined,
  { call, values = [], ask }: KeyChange,
): Promise<void> {
  const row = await withDatabase(context, async ({ client }) => {
    const id = await findKeyId(client, key);
    if (ask !== undefined) await confirm(context, ask.yes, ask.question(await overviewOf(client, id)));
    return await inTransaction(client, context, () =>
      queryOne(client, `select * from ${call}`, [id, ...values]),
    );
  });
  context.print(json === true ? toJson(row) : toFacts(row));
}
