import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from 'pg';
import { parseInt64 } from '../http/input/int64.js';
import { CliError } from './cli-error.js';

/** How a person names a key: by its id, or by how its plain text begins, for that is what a customer or a log shows. */
export type KeyReference = { readonly id: bigint } | { readonly prefix: string };

const PREFIX = /^psk_[0-9A-Za-z]{8}/;

export const addKeyArgument = (command: Command): Command =>
  command.argument('<key>', 'its id, or the first 12 characters of the key (psk_…)', parseKeyReference);

function parseKeyReference(text: string): KeyReference {
  const id = parseInt64(text);
  if (id !== undefined) return { id };
  const [prefix] = PREFIX.exec(text) ?? [];
  if (prefix !== undefined) return { prefix };
  throw new InvalidArgumentError('It must be an id such as 7, or a key that begins with psk_.');
}

/** @throws CliError when no key, or more than one, begins so; whether there is an id is left to who uses it */
export async function findKeyId(client: Client, reference: KeyReference): Promise<bigint> {
  if ('id' in reference) return reference.id;
  const { prefix } = reference;
  const { rows } = await client.query<{ id: bigint }>(
    `select distinct api_key_id as id from api_key_secrets where prefix = $1 order by id`,
    [prefix],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  if (ids.length > 1)
    throw new CliError(`${ids.length} keys begin with ${prefix}: ${ids.join(', ')}.`, 'Give the id.');
  throw new CliError(`no key begins with ${prefix}`, 'Look for it: petstore keys list --name acme');
}
