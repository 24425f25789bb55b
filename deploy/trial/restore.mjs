// npm run trial:restore: runs every command of docs/backup.md, on servers of its own and with the service under load. It needs Debian's
// postgresql and pgbackrest, takes about a minute, and prints what was acknowledged, lost and revived.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries } from '../../dist/database/embedded/binaries.js';
import { serverAccount } from '../../dist/database/embedded/server-account.js';
import { constantLoad, send } from './client.mjs';
import {
  BINARIES,
  check,
  idOf,
  makeDirectory,
  requirePackages,
  ROOT,
  serversIn,
  shellIn,
  startService,
} from './local.mjs';

requirePackages({ pgbackrest: 'pgbackrest' });

const DOCUMENT = readFileSync(join(ROOT, 'docs/backup.md'), 'utf8');
const directory = makeDirectory('restore');
const ownBinaries = dirname((await findBinaries(serverAccount())).initdb);
const PGBACKREST_CONFIG = join(directory, 'pgbackrest.conf');
const sh = shellIn(directory, { PGHOST: '127.0.0.1', PGUSER: 'postgres', PGBACKREST_CONFIG });

const ran = new Set();
/** Runs the commands of a section of the document, as they stand there, while the service goes on. Returns the seconds. */
async function documented(heading, env) {
  const section = DOCUMENT.split(/^(?=#{2,3} )/m).find((one) => one.startsWith(`${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
  if (blocks.length === 0) throw new Error(`docs/backup.md has no commands below "${heading}"`);
  const beganAt = performance.now();
  for (const block of blocks) {
    ran.add(block);
    console.log(block.trimEnd().replaceAll(/^/gm, '  $ '));
    await sh(block, env);
  }
  return ((performance.now() - beganAt) / 1000).toFixed(1);
}

const { startServer, stopServer } = serversIn(directory, sh);
const asOwner = (server) => ({ ...server.env, DATABASE_URL: server.url('petstore_owner') });
const petstore = async (server, words) => JSON.parse(await sh(`petstore ${words} --json`, asOwner(server)));
const sql = (server, text, database = 'petstore') =>
  sh(`psql --no-psqlrc --tuples-only --no-align --command "${text}" ${database}`, server.env);

const serviceOn = (server) => startService(server.url('petstore_api'), 'warn');

await trial();
const all = [...DOCUMENT.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
check(
  'commands of docs/backup.md that were run',
  all.every((block) => ran.has(block)),
  `${ran.size} of ${all.length}`,
);

async function trial() {
  writeFileSync(
    PGBACKREST_CONFIG,
    `[global]\nrepo1-path=${directory}/repository\nlog-path=${directory}\nlock-path=${directory}/lock\nspool-path=${directory}/spool\nrepo1-retention-full=2\nstart-fast=y\n\n[petstore]\npg1-path=${directory}/primary\npg1-socket-path=${directory}\npg1-user=postgres\n`,
  );
  const archive = [
    `archive_mode = on`,
    `archive_command = 'PGBACKREST_CONFIG=${PGBACKREST_CONFIG} /usr/bin/pgbackrest --stanza=petstore archive-push %p'`,
    'archive_timeout = 60s',
  ];
  const primary = await startServer('primary', BINARIES, archive);
  writeFileSync(PGBACKREST_CONFIG, `pg1-port=${primary.env.PGPORT}\n`, { flag: 'a' });
  await sh(`sh ${join(ROOT, 'deploy/postgres/roles.sh')}`, primary.env);
  await sh('petstore db migrate && petstore db roles', asOwner(primary));

  const issue = (name) =>
    petstore(primary, `keys issue --name ${name} --plan enterprise --per-minute 1000000 --per-day 100000000`);
  const keys = {};
  for (const name of ['load', 'revoked', 'suspended', 'expired', 'rotated']) keys[name] = await issue(name);
  let service = await serviceOn(primary);
  const load = constantLoad(100, (i) =>
    send(service.origin, {
      key: keys.load.key,
      method: 'POST',
      path: '/v1/pets',
      body: JSON.stringify({ name: `Pet ${i}`, categoryId: 1 }),
    }).then((one) => ({ ...one, endedAt: Date.now() })),
  );
  console.log(
    `A base backup took ${await documented('## To a point in time', primary.env)} s, with 100 new pets a second`,
  );
  await delay(3000);
  const target = await sql(primary, 'select clock_timestamp()');
  const targetMs = Number(
    await sql(primary, `select floor(extract(epoch from '${target}'::timestamptz) * 1000)`),
  );
  await delay(1000);
  await petstore(primary, `keys revoke ${keys.revoked.id} --yes`);
  await petstore(primary, `keys suspend ${keys.suspended.id}`);
  await petstore(primary, `keys set-expiry ${keys.expired.id} 2027-01-31T00:00:00Z`);
  await petstore(primary, `keys rotate ${keys.rotated.id} --overlap 0 --yes`);
  const lost = await issue('lost');
  await documented('## The audit log, elsewhere', asOwner(primary));
  const created = (await load.stop()).filter(({ status }) => status === 201);
  const before = created.filter(({ endedAt }) => endedAt < targetMs);
  await sql(primary, 'select pg_switch_wal()');
  await delay(2000);
  await service.stop();
  await stopServer(primary, 'immediate');

  console.log(
    `\nBack to a point in time took ${await documented('### Going back', { ...primary.env, TARGET: target })} s`,
  );
  const ids = new Set((await sql(primary, 'select id from pets')).split('\n').map(BigInt));
  check(
    'pets acknowledged before the target, and lost',
    before.every((one) => ids.has(idOf(one))),
    `${before.filter((one) => !ids.has(idOf(one))).length} of ${before.length}`,
  );
  console.log(
    `     pets acknowledged after it, which are gone: ${created.filter((one) => !ids.has(idOf(one))).length}`,
  );
  const show = (name) => petstore(primary, `keys show ${keys[name].id}`);
  const { state: revived } = await show('revoked');
  check('the state of the revoked key, before the gap is closed', revived !== 'revoked', revived);

  const idsAfter = created.map(idOf).reduce((max, id) => (id > max ? id : max), 0n);
  await documented('## Closing the gap', { ...asOwner(primary), IDS_AFTER: String(idsAfter) });
  check('the revoked key is revoked', (await show('revoked')).state === 'revoked');
  check('the suspended key is suspended', (await show('suspended')).state === 'suspended');
  const { expires_at: expiry } = await show('expired');
  check('the key that was given an end has it', String(expiry).startsWith('2027-01-31'), expiry);
  check('the next key has an id of its own', (await issue('next')).id > lost.id);
  service = await serviceOn(primary);
  const outcomeOf = async (key) => (await send(service.origin, { key })).outcome;
  check('the revoked key is rejected', (await outcomeOf(keys.revoked.key)) === '401 revoked_api_key');
  check('a lost key is rejected', (await outcomeOf(lost.key)) === '401 invalid_api_key');
  check('the old secret of a rotation is accepted', (await outcomeOf(keys.rotated.key)) === '200');
  const pet = await send(service.origin, {
    key: keys.load.key,
    method: 'POST',
    path: '/v1/pets',
    body: '{"name":"Rex","categoryId":1}',
  });
  check('the next pet has an id that no pet had', idOf(pet) > idsAfter, String(idOf(pet)));

  console.log(`\nA logical dump took ${await documented('## A logical dump', primary.env)} s`);
  const counts = (server) =>
    sql(
      server,
      'select (select count(*) from pets), (select count(*) from api_keys), (select count(*) from audit_log)',
    );
  await service.stop();
  const expected = await counts(primary);
  for (const [name, binaries] of [
    ['same', BINARIES],
    ['newer', ownBinaries],
  ]) {
    const server = await startServer(name, binaries);
    const seconds = await documented('### Restoring a dump', server.env);
    const version = await sql(server, 'show server_version');
    const found = await counts(server);
    check(
      `restored on PostgreSQL ${version} in ${seconds} s: pets, keys, changes`,
      found === expected,
      found,
    );
    await sh('petstore doctor', asOwner(server));
    const copy = await serviceOn(server);
    check('the service works on it', (await send(copy.origin, { key: keys.load.key })).outcome === '200');
    await copy.stop();
  }
  const other = await startServer('other', BINARIES);
  await sql(other, 'create role new_owner login createrole', 'postgres');
  const own = { ...other.env, DATABASE_URL: other.url('new_owner') };
  console.log(`\nUnder another owner took ${await documented('### Under another owner', own)} s`);
  check('restored under another owner: pets, keys, changes', (await counts(other)) === expected);
  await sh('petstore doctor', own);
}
