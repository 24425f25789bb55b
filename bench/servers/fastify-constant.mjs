// The constant answer of Fastify.
import Fastify from 'fastify';
import { listen } from './listen.mjs';

const body = process.env.BENCH_BODY;
const fastify = Fastify();
fastify.get('/v1/pets', (_request, reply) => {
  reply.type('application/json; charset=utf-8').send(body);
});
await listen(fastify);
