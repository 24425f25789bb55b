// What must hold with PgBouncer in transaction mode between the replicas and PostgreSQL.
import pg from 'pg';
import { ask, count, newName, quantile, shopRequest, tally } from './client.mjs';
import { admittedToday, issueKey } from './keys.mjs';
import { until } from './programs.mjs';
import { REPLICAS } from './stack.mjs';

/** How long a commit waits for the disk here: far longer than a request takes that does not wait for it. */
const COMMIT_DELAY_MS = 100;

/** It is indeed by transactions that connections are shared: 40 clients stay connected, and 20 connections serve them. */
export async function transactionMode({ stack, check }) {
  const clients = Array.from(
    { length: 40 },
    () => new pg.Client({ connectionString: stack.databaseUrl, connectionTimeoutMillis: 5000 }),
  );
  const served = new Set();
  try {
    for (const client of clients) {
      await client.connect();
      const { rows } = await client.query('select pg_backend_pid() as pid');
      served.add(rows[0].pid);
    }
    check(
      'transaction mode: 40 clients are connected and served at once',
      served.size <= 20,
      `by ${served.size} server connections`,
    );
  } finally {
    for (const client of clients) await client.end();
  }
}

/** Requests that arrive together share statements. */
export async function groups({ stack, check }) {
  const { key } = await issueKey(stack.database);
  const before = await statementsOf(stack, 'admission');
  const answers = await askManyAtOnce(stack, key, 2000, 100);
  const after = await statementsOf(stack, 'admission');
  const requests = after.requests - before.requests;
  const statements = after.statements - before.statements;
  check(
    'groups: 2,000 requests of 100 clients are answered 200',
    count(answers, 200) === 2000,
    tally(answers),
  );
  check(
    'groups: they share statements',
    requests === 2000 && statements < requests,
    `${requests} decisions in ${statements} statements`,
  );
}

async function askManyAtOnce(stack, key, requests, clients) {
  const answers = [];
  let left = requests;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      answers.push(await ask(stack.origin, { key }));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answers;
}

/** Sizes of groups are the requests that each statement decided. */
async function statementsOf(stack, group) {
  const total = { requests: 0, statements: 0 };
  for (const name of REPLICAS) {
    const metrics = await stack.metricsOf(name);
    const valueOf = (suffix) =>
      Number(
        new RegExp(`^petstore_batch_size_${suffix}\\{[^}]*batch="${group}"[^}]*\\} (\\S+)`, 'm').exec(
          metrics,
        )?.[1] ?? 0,
      );
    total.requests += valueOf('sum');
    total.statements += valueOf('count');
  }
  return total;
}

/** Of 600 requests in flight at once exactly as many are admitted as the key has. */
export async function exactLimits({ stack, check }) {
  for (let run = 1; ; run += 1) {
    const { id, key } = await issueKey(stack.database, { perMinute: 100 });
    const minute = await minuteOf(stack);
    const answers = await Promise.all(Array.from({ length: 600 }, () => ask(stack.origin, { key })));
    // Over the turn of a minute there are twice as many: that run says nothing.
    if ((await minuteOf(stack)) !== minute && run < 3) continue;
    check(
      'limits: 100 of 600 simultaneous requests are admitted',
      count(answers, 200) === 100,
      tally(answers),
    );
    check('limits: the database counted the same', (await admittedToday(stack.database, id)) === 100, '');
    return;
  }
}

async function minuteOf({ database }) {
  const { rows } = await database.query(`select date_trunc('minute', now())::text as minute`);
  return rows[0].minute;
}

/** Only what is created waits for the disk, also on a connection that a decision used before. */
export async function asynchronousCommit({ stack, check }) {
  const { key } = await issueKey(stack.database);
  // A server connection that serves neither yet would have to be made first.
  await ask(stack.origin, { key });
  await configure(stack, `commit_delay = '${COMMIT_DELAY_MS * 1000}'`, `commit_siblings = '0'`);
  try {
    const reads = [];
    const writes = [];
    for (let i = 0; i < 20; i += 1) {
      reads.push(await ask(stack.origin, { key }));
      writes.push(await shopRequest(stack.origin, key, 0, newName()));
    }
    const [read, write] = [quantile(reads, 0.5), quantile(writes, 0.5)];
    check(
      `commit: with a disk that takes ${COMMIT_DELAY_MS} ms a decision does not wait for it, a new animal does`,
      count(reads, 200) === 20 &&
        count(writes, 201) === 20 &&
        read < COMMIT_DELAY_MS / 2 &&
        write >= COMMIT_DELAY_MS,
      `medians: reads ${read.toFixed(1)} ms, writes ${write.toFixed(1)} ms`,
    );
  } finally {
    await configure(stack, 'commit_delay = default', 'commit_siblings = default');
  }
}

async function configure({ database }, ...settings) {
  for (const setting of settings) await database.query(`alter system set ${setting}`);
  const wanted = settings[0].endsWith('default') ? '0' : String(COMMIT_DELAY_MS * 1000);
  await database.query('select pg_reload_conf()');
  await until('the setting holds', async () => {
    // A session sees new settings between statements; which of the pool's this is does not matter.
    const { rows } = await database.query('show commit_delay');
    return rows[0].commit_delay === wanted;
  });
}
