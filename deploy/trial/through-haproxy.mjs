// What clients meet through HAProxy: their own address, and answers they can read even where nobody is there to answer.
import { ask, count, tally } from './client.mjs';
import { issueKey } from './keys.mjs';
import { until } from './programs.mjs';
import { REPLICAS } from './stack.mjs';

/** More than three replicas together let one address ask in a minute (60 each). */
const KEYLESS_REQUESTS = 300;

/** Requests without a key count against the address that HAProxy saw, whatever the client writes. */
export async function addresses({ stack, check }) {
  const keyless = (from, i) =>
    ask(stack.origin, { from, headers: { 'x-forwarded-for': `192.0.2.${i % 250}` } });
  const greedy = await Promise.all(
    Array.from({ length: KEYLESS_REQUESTS }, (_, i) => keyless('127.0.0.2', i)),
  );
  const modest = await keyless('127.0.0.3', 0);
  check(
    'addresses: who writes another X-Forwarded-For with each request is limited all the same',
    count(greedy, 429) > 0 && count(greedy, 401, 429) === KEYLESS_REQUESTS,
    tally(greedy),
  );
  check('addresses: another client is not', modest.outcome === '401 missing_api_key', modest.outcome);
}

/** With no replica ready the replicas themselves say so, with all that an answer has. */
export async function withoutDatabase({ stack, check }) {
  const { key } = await issueKey(stack.database);
  await stack.killPgBouncer();
  await until('HAProxy turned every replica away', async () => {
    const up = await Promise.all(REPLICAS.map((name) => stack.isUp(name)));
    return !up.includes(true);
  });
  const answer = await ask(stack.origin, { key });
  check('away: a replica answers 503 itself', answer.outcome === '503 service_unavailable', answer.outcome);
  await stack.startPgBouncer();
  for (const name of REPLICAS) await until(`${name} is up again`, () => stack.isUp(name));
  const after = await ask(stack.origin, { key });
  check('away: all is well again by itself', after.status === 200, after.outcome);
}

/** The last part: nobody is left but HAProxy. */
export async function withoutReplicas({ stack, check }) {
  const { key } = await issueKey(stack.database);
  await stack.killReplicas();
  const answers = [];
  for (let i = 0; i < 20; i += 1) answers.push(await ask(stack.origin, { key }));
  check(
    'nobody: HAProxy answers 503 with the body of an error',
    answers.every(({ outcome }) => outcome === '503 service_unavailable by HAProxy'),
    tally(answers),
  );
}
