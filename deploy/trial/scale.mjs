// npm run trial:scale: what the profile scale of docker-compose.yml promises, tried on this machine without containers. It takes about
// a minute, and needs haproxy, pgbouncer and psql.
import { setTimeout as delay } from 'node:timers/promises';
import { constantLoad, count, quantile, send, shopRequest, tally } from './client.mjs';
import { until, versionOf } from './programs.mjs';
import { KEEPS_NAMED_STATEMENTS, REPLICAS, startStack } from './stack.mjs';

const versions = {
  haproxy: versionOf('haproxy', '-v'),
  pgbouncer: versionOf('pgbouncer'),
  psql: versionOf('psql'),
};
const absent = Object.keys(versions).filter((name) => versions[name] === undefined);
if (absent.length > 0) {
  console.error(`Install ${absent.join(', ')} (Debian: apt install haproxy pgbouncer postgresql-client).`);
  process.exit(1);
}
console.log(
  `${versions.haproxy}\n${versions.pgbouncer}, statements ${KEEPS_NAMED_STATEMENTS ? '' : 'not '}named\n`,
);

let failures = 0;
/** Prints a line for each promise. */
function check(what, holds, figures = '') {
  if (!holds) failures += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${figures === '' ? '' : `: ${figures}`}`);
}

// The day of the limits must not end meanwhile.
const leftMs = 86_400_000 - (Date.now() % 86_400_000);
if (leftMs < 180_000) await delay(leftMs + 1000);

const stack = await startStack();
const { origin, database } = stack;
try {
  await exactLimits();
  await addresses();
  await lostPooler();
  await rollingRestart();
  await withoutReplicas();
} finally {
  await database.end();
  await stack.close();
}
console.log(failures === 0 ? '\nall promises hold' : `\n${failures} promises do not hold`);
process.exitCode = failures === 0 ? 0 : 1;

/** A key with limits of its own: enough for everything unless given. */
async function issueKey({ perMinute = 1_000_000, perDay = 10_000_000 } = {}) {
  const { rows } = await database.query(
    `select id::text, key from issue_api_key('trial', 'enterprise', per_minute => $1, per_day => $2)`,
    [perMinute, perDay],
  );
  return rows[0];
}

async function admittedToday({ id }) {
  const { rows } = await database.query('select day_admitted from api_key_overview where id = $1', [id]);
  return Number(rows[0].day_admitted);
}

async function createdAs(name) {
  const { rows } = await database.query('select count(*)::int as created from pets where name = $1', [name]);
  return rows[0].created;
}

async function exactLimits() {
  const key = await issueKey({ perDay: 100 });
  const responses = await Promise.all(Array.from({ length: 600 }, () => send(origin, key)));
  check(
    'limits: 100 of 600 simultaneous requests are admitted',
    count(responses, 200) === 100,
    tally(responses),
  );
  check('limits: the database counted the same', (await admittedToday(key)) === 100);
}

function sendKeyless(from, i) {
  return send(origin, { from, headers: { 'x-forwarded-for': `192.0.2.${i % 250}` } });
}

/** Requests without a key count against the address that HAProxy saw, whatever the client writes. */
async function addresses() {
  // More than three replicas together admit of one address in a minute.
  const greedy = await Promise.all(Array.from({ length: 300 }, (_, i) => sendKeyless('127.0.0.2', i)));
  const isLimited = count(greedy, 429) > 0 && count(greedy, 401, 429) === 300;
  check('addresses: another X-Forwarded-For with each request does not help', isLimited, tally(greedy));
  const { outcome } = await sendKeyless('127.0.0.3', 0);
  check('addresses: another client is not limited', outcome === '401 missing_api_key', outcome);
}

/** Connections break, and PgBouncer is away for as long as HAProxy needs to notice. */
async function lostPooler() {
  const key = await issueKey();
  const load = constantLoad(100, (i) => shopRequest(origin, key.key, i, 'lost pooler'));
  await delay(1000);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'petstore_api'`,
  );
  await delay(2000);
  const areDown = async () => !(await Promise.all(REPLICAS.map(stack.isUp))).includes(true);
  await stack.restartPgBouncer(() => until('HAProxy has noticed', areDown));
  for (const name of REPLICAS) await until(`${name} is up again`, () => stack.isUp(name));
  const { status } = await send(origin, key);
  const responses = await load.stop();
  const served = count(responses, 200, 201);
  const isPlain = served + count(responses, 503) === responses.length;
  check(
    'lost pooler: only 2xx and 503, of the replicas themselves',
    isPlain && !/HAProxy/.test(tally(responses)),
    tally(responses),
  );
  check('lost pooler: the service heals by itself', status === 200);
  const admitted = (await admittedToday(key)) - 1;
  check(
    'lost pooler: every response is counted',
    admitted >= served && admitted <= responses.length,
    `${served} served, ${admitted} counted`,
  );
  const created = await createdAs('lost pooler');
  check(
    'lost pooler: every 201 is a pet',
    created >= count(responses, 201),
    `${count(responses, 201)} of ${created}`,
  );
}

/** The replicas are replaced one after another while clients send requests without a pause. */
async function rollingRestart() {
  const LIMIT = 1000;
  const limited = await issueKey({ perDay: LIMIT });
  const shop = await issueKey();
  const shopLoad = constantLoad(100, (i) => shopRequest(origin, shop.key, i, 'rolling restart'));
  const limitedLoad = constantLoad(40, () => send(origin, limited));
  await delay(1000);
  const codes = [];
  for (const name of REPLICAS) codes.push(await stack.restartReplica(name));
  // However quick the restarts were, the limit has to be passed.
  while (limitedLoad.sent.length <= LIMIT) await delay(100);
  const [shopped, ofLimited] = [await shopLoad.stop(), await limitedLoad.stop()];

  check(
    'rolling restart: each replica ends with 0',
    codes.every((code) => code === 0),
    codes.join(', '),
  );
  const failed = shopped.length - count(shopped, 200, 201);
  const times = `median ${quantile(shopped, 0.5)} ms, 99 % within ${quantile(shopped, 0.99)} ms, slowest ${quantile(shopped, 1)} ms`;
  check(
    'rolling restart: no request fails',
    failed === 0,
    `${shopped.length} sent, ${failed} failed; ${times}; ${tally(shopped)}`,
  );
  check('rolling restart: each request is counted once', (await admittedToday(shop)) === shopped.length);
  check(
    'rolling restart: each pet is created once',
    (await createdAs('rolling restart')) === count(shopped, 201),
  );
  const isExact = count(ofLimited, 200) === LIMIT && count(ofLimited, 200, 429) === ofLimited.length;
  check(
    `rolling restart: exactly ${LIMIT} requests of a key with ${LIMIT} a day are admitted`,
    isExact,
    tally(ofLimited),
  );
}

/** The last part: only HAProxy is left. */
async function withoutReplicas() {
  const key = await issueKey();
  await stack.killReplicas();
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(origin, key)));
  const areErrors = responses.every(({ outcome }) => outcome === '503 service_unavailable by HAProxy');
  check('no replica: HAProxy responds with 503 and an error body', areErrors, tally(responses));
}
