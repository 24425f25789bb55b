// Bare Fastify on `pg`: no key, no limit, no validation.
import Fastify from 'fastify';
import { listen } from './listen.mjs';
import { addOrderRoutes } from './order-routes.mjs';
import { addPetRoutes } from './pet-routes.mjs';
import { openPool } from './pool.mjs';

const fastify = Fastify();
const pool = openPool();
addPetRoutes(fastify, pool);
addOrderRoutes(fastify, pool);
await listen(fastify);
