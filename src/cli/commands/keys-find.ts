import { createReadStream } from 'node:fs';
import { stdin } from 'node:process';
import type { Client } from 'pg';
import { type ApiKeyHash, hasApiKeyForm, hashApiKey, KEY_PATTERN } from '../../auth/keys/api-key.js';
import type { Row } from '../../database/statement.js';
import { cannot, UsageError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import { confirm } from '../context.js';
import { printRows, some, toJson } from '../output.js';
import { changeDatabase, withDatabase } from '../session.js';

export const findCommand: CommandSpec = {
  usage: 'find <file>',
  says:
    'Finds every key in a file or in standard input (-), such as a log or the dump of a repository, and says whose it is and ' +
    'whether it still works. No key is printed, and none is sent to the database: only hashes.',
  options: {
    '--revoke': 'revoke those that still work, permanently',
    '--yes': 'do not ask for confirmation',
  },
  run: async (context, { file, revoke, yes, json }) => {
    const path = String(file);
    if (hasApiKeyForm(path))
      throw new UsageError(
        'Others can see a key on the command line.',
        'Pass it in a file, or by - in standard input.',
      );
    const found = await findKeys(path === '-' ? stdin : createReadStream(path)).catch(cannot('read', path));
    let rows = await withDatabase(context, ({ client }) => overviews(client, found));
    const working = [...new Set(rows.filter(({ works }) => works).map(({ id }) => String(id)))];
    if (revoke === true && working.length > 0) {
      if (yes !== true) await confirm(context, `This permanently revokes ${some('key', working)}.`);
      await changeDatabase(context, async (client) => {
        await client.query(`select set_config('petstore.changes_max', $1, true)`, [String(working.length)]);
        for (const id of working) await client.query('select revoke_api_key($1)', [id]);
        rows = await overviews(client, found);
        return {};
      });
    }
    if (json === true) return context.print(toJson(rows));
    const columns = ['prefix', 'works', 'state', 'id', 'name', 'plan=plan_id', 'line', 'times'];
    printRows(context, columns, rows, 'The input contains no key.');
    if (revoke === true && rows.length > 0) context.print(`${some('key', working)} revoked.\n`);
  },
  examples: ['keys find service.log', 'keys find - --revoke --yes < service.log'],
};

/** A key found in a text. */
interface FoundKey {
  readonly hash: ApiKeyHash;
  readonly prefix: string;
  /** Its first occurrence, 1-based. */
  readonly line: number;
  times: number;
}

interface FoundRow extends Row {
  readonly id: bigint | null;
  readonly works: boolean;
}

/** The keys found, including those unknown to this database. */
async function overviews(client: Client, found: readonly FoundKey[]): Promise<readonly FoundRow[]> {
  const { rows } = await client.query<FoundRow>(
    `select prefix, coalesce(works, false) as works, coalesce(state, 'unknown') as state, api_key_id as id, name, plan_id, line, times
     from unnest($1::bytea[], $2::text[], $3::int[], $4::int[]) as found (hash, prefix, line, times)
     left join (select hash, api_key_id, name, plan_id, state, works from find_api_keys($1)) as known using (hash)
     order by works desc, line`,
    [
      found.map(({ hash }) => hash),
      found.map(({ prefix }) => prefix),
      found.map(({ line }) => line),
      found.map(({ times }) => times),
    ],
  );
  return rows;
}

const KEYS = new RegExp(KEY_PATTERN, 'g');

/** A key may span two chunks: keep as much as a key's length. */
const KEPT = 42;

/** Every text with the form and the checksum of a key. UTF-16, as some shells write it, is ASCII with zero bytes between. */
async function findKeys(chunks: AsyncIterable<Buffer>): Promise<readonly FoundKey[]> {
  const found = new Map<ApiKeyHash, FoundKey>();
  let text = '';
  let line = 1;
  const search = (end: number): void => {
    let from = 0;
    for (const { 0: key, index } of text.matchAll(KEYS)) {
      if (index >= end) break;
      line += linesIn(text.slice(from, index));
      from = index;
      if (!hasApiKeyForm(key)) continue;
      const hash = hashApiKey(key);
      const one = found.get(hash) ?? { hash, prefix: key.slice(0, 12), line, times: 0 };
      one.times += 1;
      found.set(hash, one);
    }
    line += linesIn(text.slice(from, end));
    text = text.slice(end);
  };
  for await (const chunk of chunks) {
    text += chunk.toString('latin1').replaceAll('\0', '');
    search(Math.max(0, text.length - KEPT));
  }
  search(text.length);
  return [...found.values()];
}

const linesIn = (text: string): number => text.split('\n').length - 1;
