// The databases of the benchmark: filled once, kept between runs, and copied for each.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { reachableDirectory } from '../dist/database/embedded/data-directory.js';
import { openEmbeddedPostgres } from '../dist/database/embedded/embedded-postgres.js';
import { migrate } from '../dist/database/migrations.js';
import { ACTIVE_KEYS, storedKeys } from './keys.mjs';

export const DATA_DIRECTORY = reachableDirectory(fileURLToPath(new URL('.data', import.meta.url)));
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Bump it when `fill` changes. */
const FILL_VERSION = 2;

/** High enough that no request is rejected: a rejection costs less than a response. */
const UNREACHABLE_LIMIT = 1_000_000_000;

/** @param {(message: string) => void} log */
export async function openDatabases(log) {
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  const server = await openEmbeddedPostgres({
    dataDir: DATA_DIRECTORY,
    settings: { max_connections: '200' },
    log,
  });
  const urlOf = (name) => server.url.replace(/\/petstore\?/, `/${name}?`);
  const superuser = new pg.Client({ host: server.socketDirectory, user: 'postgres', database: 'postgres' });
  await superuser.connect();
  const fingerprints = new Set();

  /** The name of a filled database of this size, from an earlier run or created now. */
  const filled = async ({ pets, keys }, migrations) => {
    const fingerprint = await fingerprintOf(migrations);
    fingerprints.add(fingerprint);
    const name = `bench_${fingerprint}_${pets}_${keys}`;
    const { rowCount } = await superuser.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return name;
    log(`filling a database with ${pets} pets and ${keys} keys …`);
    const unfinished = `${name}_unfinished`;
    await superuser.query(`drop database if exists ${unfinished} with (force)`);
    await superuser.query(`create database ${unfinished} owner petstore`);
    await fill(urlOf(unfinished), pets, keys, migrations);
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
    async version() {
      return (await superuser.query('show server_version')).rows[0].server_version;
    },
    async close() {
      // Copies from runs, databases of other schemas, and interrupted fills.
      const { rows } = await superuser.query(
        `select datname from pg_database
         where datname ~ '^(run|bench)_' and (datname !~ $1 or datname ~ 'unfinished$')`,
        [`^bench_(${[...fingerprints].join('|')})_`],
      );
      for (const { datname } of rows) await superuser.query(`drop database "${datname}" with (force)`);
      await superuser.end();
      await server.close();
    },
  };
}

async function fingerprintOf(migrations) {
  const hash = createHash('sha256').update(String(FILL_VERSION));
  const entries = (await readdir(migrations, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    hash.update(name).update(await readFile(join(migrations, name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 8);
}

async function fill(url, pets, keys, migrations) {
  await migrate({ connectionString: url, directory: migrations });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Names of 3 to 34 characters, a quarter each of the statuses and of none, in no order.
  await client.query(
    `insert into pets (id, name, category_id, status)
     select
       number,
       left(initcap(md5(number::text)), 3 + (hashint8(number) & 31)),
       1 + (hashint8(number + 1) & 1023),
       (array['available', 'pending', 'sold', null]::pet_status[])[1 + (hashint8(number + 2) & 3)]
     from generate_series(1, $1::bigint) as number`,
    [pets],
  );
  await client.query(`select setval(pg_get_serial_sequence('pets', 'id'), $1)`, [pets]);
  await client.query(
    `insert into api_keys (id, name, plan_id, requests_per_minute, requests_per_day)
     select number, 'Benchmark ' || number, 'business', $2, $2 from generate_series(1, $1::bigint) as number`,
    [keys, UNREACHABLE_LIMIT],
  );
  await client.query(`select setval(pg_get_serial_sequence('api_keys', 'id'), $1)`, [keys]);
  // The active keys lie scattered among the others, as in a real table.
  const { hashes, prefixes } = storedKeys();
  await client.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select hash, number * $3::bigint, prefix
     from unnest($1::bytea[], $2::text[]) with ordinality as active (hash, prefix, number)`,
    [hashes, prefixes, Math.floor(keys / ACTIVE_KEYS)],
  );
  await client.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select sha256(convert_to('other ' || id, 'UTF8')), id, 'psk_00000000' from api_keys
     where not exists (select from api_key_secrets where api_key_id = api_keys.id)
     order by 1`,
  );
  await client.query('vacuum (analyze)');
  await client.end();
}

/**
 * The tables of the bare peer's orders: the same columns, and the indexes that the work itself needs, without the
 * rules, the counts and the lists of the service's tables.
 */
const BARE_TABLES = `
  create table if not exists bare_pets (
    id bigint generated by default as identity primary key,
    name text not null, category_id bigint not null, status pet_status);
  create table if not exists bare_orders (
    id bigint generated by default as identity primary key,
    pet_id bigint not null references bare_pets (id),
    status order_status not null default 'placed',
    placed_at timestamptz not null default now(),
    updated_at timestamptz not null default now());
  create index if not exists bare_orders_pet_id_idx on bare_orders (pet_id)`;

/** The identifiers of `count` new pets that are available. */
export async function makeAvailable(url, isBare, count) {
  const client = new pg.Client(url);
  await client.connect();
  if (isBare) await client.query(BARE_TABLES);
  const { rows } = await client.query(
    `insert into ${isBare ? 'bare_pets' : 'pets'} (name, category_id, status)
     select 'Pet ' || number, 1, 'available' from generate_series(1, $1::int) as number
     returning id`,
    [count],
  );
  await client.end();
  return rows.map(({ id }) => id);
}

/** The identifiers of `count` new orders that are placed. */
export async function makeOrders(url, isBare, count) {
  const petIds = await makeAvailable(url, isBare, count);
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    `insert into ${isBare ? 'bare_orders' : 'orders'} (pet_id) select unnest($1::bigint[]) returning id`,
    [petIds],
  );
  await client.end();
  return rows.map(({ id }) => id);
}
