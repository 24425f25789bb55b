// Before all tests: one PostgreSQL server, and on it a migrated database that every test database is a copy of.
// TEST_DATABASE_URL names another server to use instead: the URL of any database on it, as a superuser. So the tests run
// on every PostgreSQL that the service supports.
import pg from 'pg';
import { openTemporaryDatabase } from '../../tools/temporary-database.mjs';
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
  const { temporaryDirectory } = await import('../../dist/database/embedded/open-directory.js');
  // Tests start servers of their own, whose user has to enter their directories.
  process.env.TMPDIR = temporaryDirectory();
  const server =
    process.env.TEST_DATABASE_URL === undefined
      ? await openTemporaryDatabase({ settings: SETTINGS, inMemory: true })
      : undefined;
  process.env.TEST_DATABASE_URL ??= server.url;
  process.env.TEST_SUPERUSER_URL =
    server === undefined ? process.env.TEST_DATABASE_URL : superuserUrl(server);
  process.env.TEST_RUN = `petstore_test_${process.pid}`;
  globalThis.closeTestServer = server === undefined ? dropRunDatabases : server.close;
  try {
    await createTemplate();
  } catch (error) {
    // Jest calls no teardown after a setup that failed.
    await globalThis.closeTestServer();
    throw error;
  }
}

/** Who may make roles. The embedded server's own superuser logs in as the service does; another server's is given. */
function superuserUrl(server) {
  const url = new URL(server.url);
  url.username = 'postgres';
  return url.toString();
}

async function createTemplate() {
  const { migrate } = await import('../../dist/database/migrations.js');
  const url = new URL(process.env.TEST_DATABASE_URL);
  const server = new pg.Client({ connectionString: url.toString() });
  await server.connect();
  try {
    await server.query(`create database ${templateName()} template template0`);
    url.pathname = templateName();
    await migrate({ connectionString: url.toString() });
  } finally {
    await server.end();
  }
}
