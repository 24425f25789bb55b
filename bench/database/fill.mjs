// What a database of the benchmark holds.
import { migrate } from '../../dist/prisma/migrations.js';
import { ACTIVE_KEYS, storedKeys } from '../keys.mjs';

/** So many requests a minute and a day that none is refused: a refusal is cheaper than an answer. */
const UNREACHABLE_LIMIT = 1_000_000_000;

/**
 * Migrates an empty database and fills it. The active keys lie scattered among the others, as in a real table.
 *
 * @param {{ client: import('pg').Client, url: string, animals: number, keys: number, migrations: string }} options
 *   `keys` is at least `ACTIVE_KEYS`, `migrations` a directory
 */
export async function fill({ client, url, animals, keys, migrations }) {
  await migrate({ connectionString: url, directory: migrations });
  // It is made anew when it is not finished, so the disk is not awaited.
  await client.query('set synchronous_commit = off');
  await fillPets(client, animals);
  await fillKeys(client, keys);
  await client.query('vacuum (analyze)');
}

/** Names of 3 to 34 characters, a quarter each of the states and of no state, in no order. */
async function fillPets(client, animals) {
  await client.query(
    `insert into pets (id, name, category_id, status)
     select
       number,
       left(initcap(md5(number::text)), 3 + (hashint8(number) & 31)),
       1 + (hashint8(number + 1) & 1023),
       (array['available', 'pending', 'sold', null]::pet_status[])[1 + (hashint8(number + 2) & 3)]
     from generate_series(1, $1::bigint) as number`,
    [animals],
  );
  await client.query(`select setval(pg_get_serial_sequence('pets', 'id'), $1)`, [animals]);
}

async function fillKeys(client, keys) {
  await client.query(
    `insert into api_keys (id, name, plan_id, requests_per_minute, requests_per_day)
     select number, 'Benchmark ' || number, 'business', $2, $2
     from generate_series(1, $1::bigint) as number`,
    [keys, UNREACHABLE_LIMIT],
  );
  await client.query(`select setval(pg_get_serial_sequence('api_keys', 'id'), $1)`, [keys]);
  const { hashes, prefixes } = storedKeys();
  const distance = Math.floor(keys / ACTIVE_KEYS);
  await client.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select hash, number * $3::bigint, prefix
     from unnest($1::bytea[], $2::text[]) with ordinality as active (hash, prefix, number)`,
    [hashes, prefixes, distance],
  );
  // Nobody knows what these are the hashes of, and nobody needs to.
  await client.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select sha256(convert_to('nobody ' || id, 'UTF8')), id, 'psk_00000000'
     from api_keys
     where not exists (select from api_key_secrets where api_key_id = api_keys.id)
     order by 1`,
  );
}
