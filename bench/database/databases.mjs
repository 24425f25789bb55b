// The PostgreSQL of the benchmark and its databases.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openEmbeddedPostgres } from '../../dist/embedded/embedded-postgres.js';
import { fill } from './fill.mjs';

/** Beside the project and not below the system's temporary directory, which is often a memory file system. */
export const DATA_DIRECTORY = fileURLToPath(new URL('../.data', import.meta.url));

/** Whoever fills a database in another way must count this up. */
const FILL_VERSION = 1;

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/**
 * Opens the server: the embedded one as the service starts it, so with `fsync` and `synchronous_commit` on.
 *
 * @param {(message: string) => void} log
 */
export async function openDatabases(log) {
  await mkdir(DATA_DIRECTORY, { recursive: true, mode: 0o755 });
  const server = await openEmbeddedPostgres({
    dataDir: DATA_DIRECTORY,
    settings: { max_connections: '200' },
    log,
  });
  const urlOf = (name) => server.url.replace(/\/petstore\?/, `/${name}?`);
  const superuser = new pg.Client({ host: server.socketDirectory, user: 'postgres', database: 'postgres' });
  await superuser.connect();
  const usedFingerprints = new Set();

  /** The name of a filled database of this size, kept from the last run or created now. */
  const filled = async ({ animals, keys }, migrations) => {
    const fingerprint = await fingerprintOf(migrations);
    usedFingerprints.add(fingerprint);
    const name = `bench_${fingerprint}_${animals}_${keys}`;
    if (await exists(superuser, name)) return name;
    log(`filling a database with ${animals} animals and ${keys} keys …`);
    const unfinished = `${name}_unfinished`;
    await superuser.query(`drop database if exists ${unfinished} with (force)`);
    await superuser.query(`create database ${unfinished} owner petstore`);
    const url = urlOf(unfinished);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await fill({ client, url, animals, keys, migrations });
    } finally {
      await client.end();
    }
    await superuser.query(`alter database ${unfinished} rename to ${name}`);
    return name;
  };

  return {
    /** A fresh copy of a filled database, for one run; the next run removes it. */
    async copy(name, size, migrations = MIGRATIONS) {
      const template = await filled(size, migrations);
      const copy = `run_${name}`;
      await superuser.query(`drop database if exists ${copy} with (force)`);
      await superuser.query(`create database ${copy} owner petstore template ${template} strategy file_copy`);
      return { url: urlOf(copy), ...size };
    },
    settings: () => readSettings(superuser),
    async close() {
      await dropOthers(superuser, [...usedFingerprints]);
      await superuser.end();
      await server.close();
    },
  };
}

async function exists(client, name) {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  return rowCount !== 0;
}

/** Copies of runs, databases of other schemas, and what was interrupted. */
async function dropOthers(client, fingerprints) {
  const { rows } = await client.query(
    `select datname from pg_database
     where datname ~ '^(run|bench)_' and (datname !~ $1 or datname ~ 'unfinished$')`,
    [`^bench_(${fingerprints.join('|')})_`],
  );
  for (const { datname } of rows) await client.query(`drop database if exists "${datname}" with (force)`);
}

async function readSettings(client) {
  const { rows } = await client.query(
    `select name, setting from pg_settings
     where name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes')`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

async function fingerprintOf(migrations) {
  const hash = createHash('sha256').update(String(FILL_VERSION));
  const entries = (await readdir(migrations, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    hash.update(name).update(await readFile(join(migrations, name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 8);
}
