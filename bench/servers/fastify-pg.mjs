// Bare Fastify on `pg`: no key, no limit, no validation.
import Fastify from 'fastify';
import { listen } from './listen.mjs';
import { addPetRoutes } from './pet-routes.mjs';
import { openPool } from './pool.mjs';

const fastify = Fastify();
addPetRoutes(fastify, openPool());
await listen(fastify);
