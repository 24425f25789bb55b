import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile, mkdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ClientBase, escapeIdentifier } from 'pg';
import { columnTypesOf } from './column-types.js';
import { MIGRATIONS_DIRECTORY, readMigrations } from '../../src/prisma/migration-files.js';

/** A statement with the types that PostgreSQL gives its parameters and the columns of its answer. */
export interface RecordedStatement {
  readonly text: string;
  readonly parameters: readonly string[];
  readonly results: readonly string[];
}

/** What a release is to the database: what was applied with it and before, and what it asks. */
export interface RecordedRelease {
  readonly version: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  readonly statements: readonly RecordedStatement[];
}

export const RELEASES_FOLDER = 'prisma/releases';

/** The release that may still run while this one starts; undefined before the first. */
export function latestRelease(folder = RELEASES_FOLDER): RecordedRelease | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedRelease)
    .sort((one, other) => one.migrations.length - other.migrations.length)
    .at(-1);
}

/** Writes down what this release is. A release is recorded once: what runs somewhere does not change any more. */
export async function recordRelease(
  client: ClientBase,
  version: string,
  texts: readonly string[],
  folder = RELEASES_FOLDER,
): Promise<void> {
  const statements = [];
  for (const text of texts) statements.push(await describeStatement(client, text));
  const files = await readMigrations(MIGRATIONS_DIRECTORY);
  const migrations = files.map(({ name, sql }) => ({ name, checksum: sha256(sql.replaceAll('\r\n', '\n')) }));
  await mkdir(folder, { recursive: true });
  const record: RecordedRelease = { version, migrations, statements };
  await writeFile(join(folder, `${version}.json`), `${JSON.stringify(record, undefined, 2)}\n`, {
    flag: 'wx',
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As PostgreSQL understands it on the schema that is there; rejects when it does not. */
export async function describeStatement(client: ClientBase, text: string): Promise<RecordedStatement> {
  const name = 'described';
  await client.query(`prepare ${escapeIdentifier(name)} as ${text}`);
  try {
    const { rows } = await client.query<{ readonly parameters: readonly string[] }>(
      'select parameter_types::text[] as parameters from pg_prepared_statements where name = $1',
      [name],
    );
    const parameters = rows[0]?.parameters ?? [];
    // Only a plan tells that "on conflict" finds its index.
    const nulls = parameters.length === 0 ? '' : `(${parameters.map(() => 'null').join(', ')})`;
    await client.query(`explain execute ${escapeIdentifier(name)}${nulls}`);
    return { text, parameters, results: await columnTypesOf(client, name) };
  } finally {
    await client.query(`deallocate ${escapeIdentifier(name)}`);
  }
}

/** What keeps a recorded release from working on the schema that is there: nothing, when all is well. */
export async function faultsOnNewSchema(
  client: ClientBase,
  { version, statements }: RecordedRelease,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const recorded of statements) {
    const faultOf = (what: string): number =>
      faults.push(`${what}, in a statement of ${version}:\n${recorded.text}`);
    try {
      const { parameters, results } = await describeStatement(client, recorded.text);
      if (String(parameters) !== String(recorded.parameters))
        faultOf(`its parameters were ${recorded.parameters.join(', ')} and are ${parameters.join(', ')}`);
      if (String(results) !== String(recorded.results))
        faultOf(`its columns were ${recorded.results.join(', ')} and are ${results.join(', ')}`);
    } catch (error) {
      faultOf(error instanceof Error ? error.message : String(error));
    }
  }
  return faults;
}
