// What Prisma asks before it speaks the protocol: is the database there, create it, drop it.
import pg from 'pg';

/** SQLSTATEs whose Prisma code the command line acts on: P1003 makes it create the database. */
const PRISMA_CODES = { '3D000': 'P1003', '28P01': 'P1000', '42P04': 'P1009' };
const CANNOT_CONNECT = 'P1001';
const CONNECT_TIMEOUT_MS = 5_000;

/** Runs one command on the database that the URL names, and returns the exit code that Prisma expects. */
export async function runDatabaseCommand(command, url) {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  const name = pg.escapeIdentifier(database);
  try {
    switch (command) {
      case 'can-connect-to-database':
        await query(url, 'select 1');
        break;
      case 'create-database':
        await query(onDatabase(url, 'postgres'), `create database ${name}`);
        break;
      case 'drop-database':
        await query(onDatabase(url, 'postgres'), `drop database ${name}`);
        break;
      default:
        throw new Error(`The schema engine has no command ${command}.`);
    }
    return 0;
  } catch (error) {
    reportError(PRISMA_CODES[error.code] ?? CANNOT_CONNECT, error.message || String(error.code ?? error));
    return 1;
  }
}

/** The same server, user and settings, but another database. */
export function onDatabase(url, database) {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.toString();
}

/** Runs one statement on a connection of its own: databases cannot be made or dropped in a transaction. */
export async function query(url, sql) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The line of the native engine's log from which Prisma takes the error. */
function reportError(code, message) {
  const line = {
    timestamp: new Date().toISOString(),
    level: 'ERROR',
    fields: { message, error_code: code, is_panic: false },
    target: 'schema_engine::logger',
  };
  process.stderr.write(`\n${JSON.stringify(line)}\n`);
}
