// The three replicas are replaced one after another while clients ask without a pause.
import { setTimeout as delay } from 'node:timers/promises';
import { ask, constantLoad, count, newName, quantile, shopRequest, tally } from './client.mjs';
import { admittedToday, createdAs, issueKey } from './keys.mjs';
import { REPLICAS } from './stack.mjs';

/** What the key with a limit may ask: it is used up before the last replica is replaced, so that both sides are seen. */
const LIMIT = 1000;
const SHOP_PER_SECOND = 100;
const LIMITED_PER_SECOND = 40;

export async function rollingRestart({ stack, check }) {
  // By the day, so that the window is the same from the first request to the last; refused requests are a part of it.
  const limited = await issueKey(stack.database, { perDay: LIMIT });
  const shop = await issueKey(stack.database);
  const name = newName();
  const shopLoad = constantLoad(SHOP_PER_SECOND, (i) => shopRequest(stack.origin, shop.key, i, name));
  const limitedLoad = constantLoad(LIMITED_PER_SECOND, () => ask(stack.origin, { key: limited.key }));
  const beganAt = performance.now();
  await delay(1000);
  const restarts = [];
  for (const replica of REPLICAS) {
    const from = performance.now();
    const code = await stack.restartReplica(replica);
    restarts.push({ replica, code, seconds: ((performance.now() - from) / 1000).toFixed(1) });
  }
  await delay(1000);
  // However quick the restarts were, the limit has to be passed.
  while (limitedLoad.sent <= LIMIT) await delay(100);
  const [shopAnswers, limitedAnswers] = [await shopLoad.stop(), await limitedLoad.stop()];
  const seconds = (performance.now() - beganAt) / 1000;

  check(
    'rolling restart: each replica ends with 0',
    restarts.every(({ code }) => code === 0),
    restarts.map(({ replica, code, seconds: took }) => `${replica} ${code} in ${took} s`).join(', '),
  );
  const failed = shopAnswers.filter(({ status }) => status !== 200 && status !== 201);
  check(
    'rolling restart: 0 of all requests fail',
    failed.length === 0,
    `${shopAnswers.length} in ${seconds.toFixed(1)} s, ${failed.length} failed; ${JSON.stringify(tally(shopAnswers))}; median ${quantile(shopAnswers, 0.5).toFixed(1)} ms, 99 of 100 within ${quantile(shopAnswers, 0.99).toFixed(1)} ms, slowest ${quantile(shopAnswers, 1).toFixed(0)} ms`,
  );
  check(
    'rolling restart: each request is counted once',
    (await admittedToday(stack.database, shop.id)) === shopAnswers.length,
    `${await admittedToday(stack.database, shop.id)} counted`,
  );
  check(
    'rolling restart: each animal is added once',
    (await createdAs(stack.database, name)) === count(shopAnswers, 201),
    `${await createdAs(stack.database, name)} animals`,
  );
  check(
    `rolling restart: exactly ${LIMIT} requests of a key with ${LIMIT} a day are admitted`,
    count(limitedAnswers, 200) === LIMIT &&
      count(limitedAnswers, 200, 429) === limitedAnswers.length &&
      limitedAnswers.length > LIMIT,
    `${limitedAnswers.length} asked: ${JSON.stringify(tally(limitedAnswers))}`,
  );
}
