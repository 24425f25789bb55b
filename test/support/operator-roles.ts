import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { Client, escapeIdentifier } from 'pg';
import { testServer } from './database.js';

/** The roles that prisma/roles.sql makes. */
export type GroupRole = 'petstore_service' | 'petstore_operator' | 'petstore_support';

/** Somebody who can log in to one database, as a member of a role. */
export interface TestLogin {
  readonly name: string;
  readonly url: string;
  drop(): Promise<void>;
}

export const readRolesScript = (): Promise<string> => readFile(join(cwd(), 'prisma', 'roles.sql'), 'utf8');

/**
 * Runs prisma/roles.sql on a test's database, as a superuser or as the owner.
 *
 * @param before statements that set settings of the script
 * @returns the messages that came with it, except about logins of the server, which other tests make as well
 */
export async function grantRoles(
  databaseUrl: string,
  as: 'superuser' | 'owner',
  before = '',
): Promise<readonly string[]> {
  const script = await readRolesScript();
  const client = new Client({
    connectionString: as === 'owner' ? databaseUrl : asSuperuser(databaseUrl),
  });
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  await client.connect();
  try {
    await client.query(`${before}; ${script}`);
    return notices.filter((notice) => !notice.includes('Only a superuser may change this'));
  } finally {
    await client.end();
  }
}

/** A new login that is a member of a role; roles belong to the whole server, so it must be dropped. */
export async function loginAs(group: GroupRole, databaseUrl: string): Promise<TestLogin> {
  const name = `${process.env['TEST_RUN'] ?? 'test'}_${randomUUID().slice(0, 8)}`;
  const password = randomBytes(16).toString('hex');
  await onServer(`create role ${escapeIdentifier(name)} login password '${password}' in role ${group}`);
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = password;
  return {
    name,
    url: url.toString(),
    drop: () => onServer(`drop role ${escapeIdentifier(name)}`),
  };
}

/** The same database, as the server's superuser: one of the embedded server, or whom TEST_DATABASE_URL names. */
export function asSuperuser(databaseUrl: string): string {
  const given = process.env['TEST_DATABASE_URL'];
  const url = new URL(given ?? databaseUrl);
  if (given === undefined) Object.assign(url, { username: 'postgres', password: '' });
  url.pathname = new URL(databaseUrl).pathname;
  return url.toString();
}

const isRace = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('tuple concurrently ');

/** Runs a statement as a superuser, again if another test changed the same role: roles belong to the whole server. */
export async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: (await testServer()).superuser });
  await client.connect();
  try {
    for (let isDone = false; !isDone;)
      isDone = await client.query(statement).then(
        () => true,
        (error: unknown) => {
          if (isRace(error)) return false;
          throw error;
        },
      );
  } finally {
    await client.end();
  }
}
