// Fastify with its own rate limiter on Redis: one window by key, and no look-up of the key.
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';

import { addPetRoutes, listen, openPool } from './pet-routes.mjs';

const UNREACHABLE_LIMIT = 1_000_000_000;

const fastify = Fastify();
await fastify.register(rateLimit, {
  redis: new Redis(process.env.BENCH_REDIS),
  max: UNREACHABLE_LIMIT,
  timeWindow: 60_000,
  keyGenerator: (request) => request.headers.authorization,
});
addPetRoutes(fastify, openPool());
await listen(fastify);
