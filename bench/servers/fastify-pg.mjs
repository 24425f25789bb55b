// Bare Fastify on `pg`: no key, no limit, no validation. An order is a transaction of two statements, without further rules.
import Fastify from 'fastify';
import { addPetRoutes, listen, openPool, statement } from './pet-routes.mjs';

const ORDER = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    petId: { type: 'integer' },
    status: { type: 'string' },
    placedAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
  },
};

const takePet = statement(
  'take_pet',
  `update bare_pets set status = 'pending' where id = $1 and status = 'available'`,
);
const placeOrder = statement(
  'place_order',
  'insert into bare_orders (pet_id) values ($1) returning id, pet_id, status, placed_at, updated_at',
);

const fastify = Fastify();
const pool = openPool();
addPetRoutes(fastify, pool);
fastify.post('/v1/store/orders', { schema: { response: { 201: ORDER } } }, async ({ body }, reply) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(takePet([body.petId]));
    if (rowCount === 0) {
      await client.query('rollback');
      return await reply.code(409).send();
    }
    const { rows } = await client.query(placeOrder([body.petId]));
    await client.query('commit');
    const [id, petId, status, placedAt, updatedAt] = rows[0];
    reply.code(201);
    return { id, petId, status, placedAt, updatedAt };
  } finally {
    client.release();
  }
});
await listen(fastify);
