// The same features as the service's from `rate-limiter-flexible` on PostgreSQL: the key looked up by its hash in the
// same tables, two windows a key that hold over all replicas, the three headers.
import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { RateLimiterPostgres } from 'rate-limiter-flexible';

import { addPetRoutes, listen, openPool } from './pet-routes.mjs';

const UNREACHABLE_LIMIT = 1_000_000_000;

const FIND_KEY = {
  name: 'find_key',
  text: `
    select key.id, coalesce(key.requests_per_minute, plan.requests_per_minute),
      coalesce(key.requests_per_day, plan.requests_per_day)
    from api_key_secrets secret
    join api_keys key on key.id = secret.api_key_id
    join plans plan on plan.id = key.plan_id
    where secret.hash = $1 and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > now())
      and (secret.expires_at is null or secret.expires_at > now())`,
  rowMode: 'array',
};

const pool = openPool();
// Counts need not survive a crash: as in the service, only pets wait for the disk.
const countersPool = openPool({ options: '-c synchronous_commit=off' });

const limiterOf = (name, seconds) =>
  new Promise((resolve, reject) => {
    const limiter = new RateLimiterPostgres(
      {
        storeClient: countersPool,
        tableName: `limits_by_${name}`,
        points: UNREACHABLE_LIMIT,
        duration: seconds,
      },
      (error) => (error ? reject(error) : resolve(limiter)),
    );
  });
const perMinute = await limiterOf('minute', 60);
const perDay = await limiterOf('day', 86_400);

const fastify = Fastify();
fastify.addHook('onRequest', async (request, reply) => {
  const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const { rows } = await pool.query({ ...FIND_KEY, values: [createHash('sha256').update(key).digest()] });
  if (rows.length === 0) return await reply.code(401).send();
  const [[id, minuteLimit, dayLimit]] = rows;
  const [minute, day] = await Promise.all([perMinute.consume(id), perDay.consume(id)]);
  const minuteLeft = minuteLimit - minute.consumedPoints;
  const dayLeft = dayLimit - day.consumedPoints;
  if (minuteLeft < 0 || dayLeft < 0) return await reply.code(429).send();
  const [limit, left, window] =
    minuteLeft < dayLeft ? [minuteLimit, minuteLeft, minute] : [dayLimit, dayLeft, day];
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', left);
  reply.header('x-ratelimit-reset', Math.ceil((Date.now() + window.msBeforeNext) / 1000));
});
addPetRoutes(fastify, pool);
await listen(fastify);
