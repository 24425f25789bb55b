// What becomes of requests when statements wait too long, and when connections break, at PostgreSQL or at PgBouncer.
import { setTimeout as delay } from 'node:timers/promises';
import { ask, constantLoad, count, newName, quantile, shopRequest, tally } from './client.mjs';
import { admittedToday, createdAs, issueKey } from './keys.mjs';
import { until } from './programs.mjs';

/** How long requests may fail after the database is there again: readiness and a busy machine take their time. */
const HEALED_MAX_MS = 5000;

/** A statement that waits too long is given up by the service, then by the server; other keys are served meanwhile. */
export async function statementTimeouts({ stack, check }) {
  const [held, other] = [await issueKey(stack.database), await issueKey(stack.database)];
  await ask(stack.origin, { key: held.key });
  const operator = await stack.database.connect();
  try {
    await operator.query('begin');
    await operator.query('select from api_key_counters where api_key_id = $1 for update', [held.id]);
    const waiting = ask(stack.origin, { key: held.key });
    await until('a statement waits for the lock', async () => (await waitingStatements(stack)) > 0);
    const others = [];
    for (let i = 0; i < 20; i += 1) others.push(await ask(stack.origin, { key: other.key }));
    const answer = await waiting;
    check(
      'time-outs: the waiting request is answered 503 within two seconds',
      answer.outcome === '503 service_unavailable' && answer.durationMs < 2000,
      `${answer.outcome} after ${answer.durationMs.toFixed(0)} ms`,
    );
    check(
      'time-outs: other keys are served meanwhile',
      count(others, 200) === 20,
      `slowest ${quantile(others, 1).toFixed(0)} ms`,
    );
    const beganAt = performance.now();
    await until(
      'the server gives the statement up, by its role',
      async () => (await waitingStatements(stack)) === 0,
    );
    check(
      'time-outs: the server gives the statement up, too',
      true,
      `${(performance.now() - beganAt).toFixed(0)} ms after the answer`,
    );
  } finally {
    await operator.query('rollback');
    operator.release();
  }
  const after = await ask(stack.origin, { key: held.key });
  check('time-outs: the key is served again', after.status === 200, after.outcome);
}

async function waitingStatements({ database }) {
  const { rows } = await database.query(
    `select count(*)::int as waiting from pg_stat_activity where usename = 'petstore_api' and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}

/** Connections break at the server, then at PgBouncer itself: 503 for a moment, nothing else, and nothing uncounted. */
export async function lostConnections({ stack, check }) {
  const { id, key } = await issueKey(stack.database);
  const name = newName();
  const load = constantLoad(100, (i) => shopRequest(stack.origin, key, i, name));
  const seconds = 1000;
  await delay(seconds);
  const brokenAt = performance.now();
  const { rowCount } = await stack.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'petstore_api'`,
  );
  await delay(2 * seconds);
  const killedAt = performance.now();
  await stack.killPgBouncer();
  await stack.startPgBouncer();
  const backAt = performance.now();
  await delay(3 * seconds);
  const answers = await load.stop();

  const served = count(answers, 200, 201);
  const unavailable = count(answers, 503);
  const wellAgain = (from) => {
    const late = answers.filter(({ status, endedAt }) => status === 503 && endedAt > from);
    return Math.max(0, ...late.map(({ endedAt }) => endedAt - from));
  };
  const firstBreak = answers.filter(({ endedAt }) => endedAt < killedAt);
  const lastUnavailable = Math.max(
    0,
    ...firstBreak.filter(({ status }) => status === 503).map(({ endedAt }) => endedAt - brokenAt),
  );
  check('lost connections: nothing but 2xx and 503', served + unavailable === answers.length, tally(answers));
  const slowest503 = quantile(
    answers.filter(({ status }) => status === 503),
    1,
  );
  check(
    'lost connections: whoever cannot be answered is told so within two seconds',
    unavailable === 0 || slowest503 < 2000,
    `${slowest503.toFixed(0)} ms`,
  );
  check(
    'lost connections: the service is well again by itself',
    lastUnavailable < HEALED_MAX_MS && wellAgain(backAt) < HEALED_MAX_MS,
    `${rowCount} server connections ended: the last 503 after ${lastUnavailable.toFixed(0)} ms; PgBouncer killed and back after ${(backAt - killedAt).toFixed(0)} ms: the last 503 ${wellAgain(backAt).toFixed(0)} ms later`,
  );
  const admitted = await admittedToday(stack.database, id);
  check(
    'lost connections: every answer is counted',
    admitted >= served && admitted <= answers.length,
    `${served} answers, ${admitted} counted`,
  );
  const created = await createdAs(stack.database, name);
  check(
    'lost connections: every 201 is an animal',
    created >= count(answers, 201),
    `${count(answers, 201)} answers, ${created} animals`,
  );
}
