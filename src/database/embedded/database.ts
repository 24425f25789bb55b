import { Client } from 'pg';
import { SUPERUSER } from './cluster.js';
import { oneAtATime } from './ownership.js';

/**
 * The service's role and its database. Not the superuser, as no hosted PostgreSQL gives that either; time-outs set on
 * the role leave the embedded server's own connection alone; and the connections kept for superusers stay free for it.
 */
const NAME = 'petstore';
const PORT = 5432;

/** A connection of the embedded server's own, not yet connected. Its loss is an event, never an uncaught error. */
export function superuserClient(runDirectory: string): Client {
  const client = new Client({
    host: runDirectory,
    port: PORT,
    user: SUPERUSER,
    database: SUPERUSER,
    application_name: 'petstore embedded',
    ssl: false,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  // The `end` that follows is what counts; without a listener an `error` ends the process.
  client.on('error', () => undefined);
  return client;
}

/** The URL of the service's database. It leaves nothing to PGPORT and PGSSLMODE of whoever uses it. */
export function databaseUrl(runDirectory: string): string {
  return `postgresql://${NAME}@localhost:${String(PORT)}/${NAME}?host=${encodeURIComponent(runDirectory)}&sslmode=disable`;
}

/** Creates the service's role and database unless they exist. True: the database is new. */
export function ensureDatabase(client: Client): Promise<boolean> {
  return oneAtATime(client, async () => {
    const roles = await client.query('select from pg_roles where rolname = $1', [NAME]);
    // Prisma's development commands make a database of their own to compare with.
    if (roles.rowCount === 0) await client.query(`create role ${NAME} login createdb`);
    const databases = await client.query('select from pg_database where datname = $1', [NAME]);
    if (databases.rowCount !== 0) return false;
    // template1 would be refused while anybody is connected to it.
    await client.query(`create database ${NAME} owner ${NAME} template template0`);
    return true;
  });
}
