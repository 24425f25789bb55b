// Before all tests: compiles what is newer than the build, and serves the one PostgreSQL of the run, which the first test that asks for a
// database starts: with a migrated database that every test database is a copy of. TEST_DATABASE_URL names another server to use
// instead: the URL of any database on it, as a superuser. So the tests run on every PostgreSQL that the service supports.
import { once } from 'node:events';
import { createServer } from 'node:http';
import pg from 'pg';
import { openTemporaryDatabase } from '../../tools/temporary-database.mjs';
import { compileChanges } from './compile-changes.mjs';
import { dropRunDatabases, templateName } from './run-databases.mjs';

const SETTINGS = {
  // Every worker and every pool that a test opens counts.
  max_connections: '200',
  // It would come to each database for what a test has just written.
  autovacuum: 'off',
  // Else the log alone takes a gigabyte.
  max_wal_size: '256MB',
};

export default async function setUp() {
  await compileChanges();
  const { temporaryDirectory } = await import('../../dist/database/embedded/open-directory.js');
  // Tests start servers of their own, whose user has to enter their directories.
  process.env.TMPDIR = temporaryDirectory();
  process.env.TEST_RUN = `petstore_test_${process.pid}`;
  let starting;
  const server = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ urls }) => response.end(JSON.stringify(urls)),
      (error) => response.writeHead(500).end(`The tests have no PostgreSQL: ${error.stack}`),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env.TEST_SERVER = `http://127.0.0.1:${server.address().port}`;
  globalThis.closeTestServer = async () => {
    server.close();
    server.closeAllConnections();
    await starting?.then(({ close }) => close());
  };
}

async function start() {
  const given = process.env.TEST_DATABASE_URL;
  const server = given === undefined && (await openTemporaryDatabase({ settings: SETTINGS, inMemory: true }));
  const urls = server
    ? { database: server.url, superuser: superuserUrl(server) }
    : { database: given, superuser: given };
  const close = server ? server.close : () => dropRunDatabases(urls.database);
  try {
    await createTemplate(urls.database);
  } catch (error) {
    await close();
    throw error;
  }
  return { urls, close };
}

/** Who may make roles. The embedded server's own superuser logs in as the service does; another server's is given. */
function superuserUrl(server) {
  const url = new URL(server.url);
  url.username = 'postgres';
  return url.toString();
}

async function createTemplate(databaseUrl) {
  const { migrate } = await import('../../dist/database/migrations.js');
  const url = new URL(databaseUrl);
  const server = new pg.Client({ connectionString: databaseUrl });
  await server.connect();
  try {
    await server.query(`create database ${templateName()} template template0`);
    url.pathname = templateName();
    await migrate({ connectionString: url.toString() });
  } finally {
    await server.end();
  }
}
