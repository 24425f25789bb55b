// The bare peers: no key, no limit, no validation. An order is a transaction of two statements, without further rules. Their tables
// have no triggers.
import Fastify from 'fastify';
import { addPetRoutes, listen, statement } from './pet-routes.mjs';

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

const changeOrder = statement(
  'change_order',
  `update bare_orders set status = $2, updated_at = now() where id = $1
   returning id, pet_id, status, placed_at, updated_at`,
);
const findOrder = statement(
  'find_order',
  'select id, pet_id, status, placed_at, updated_at from bare_orders where id = $1',
);
const deletePet = statement('delete_pet', 'delete from bare_pets where id = $1');

const orderOf = ([id, petId, status, placedAt, updatedAt]) => ({ id, petId, status, placedAt, updatedAt });

/** @param {Pick<import('pg').Pool, 'query' | 'connect'>} pool */
export async function serve(pool) {
  const fastify = Fastify();
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
      reply.code(201);
      return orderOf(rows[0]);
    } finally {
      client.release();
    }
  });
  fastify.get(
    '/v1/store/orders/:orderId',
    { schema: { response: { 200: ORDER } } },
    async (request, reply) => {
      const { rows } = await pool.query(findOrder([request.params.orderId]));
      return rows.length === 0 ? reply.code(404).send() : orderOf(rows[0]);
    },
  );
  fastify.patch(
    '/v1/store/orders/:orderId',
    { schema: { response: { 200: ORDER } } },
    async ({ params, body }, reply) => {
      const { rows } = await pool.query(changeOrder([params.orderId, body.status]));
      return rows.length === 0 ? reply.code(404).send() : orderOf(rows[0]);
    },
  );
  fastify.delete('/v1/pets/:petId', async ({ params }, reply) => {
    const { rowCount } = await pool.query(deletePet([params.petId]));
    return await reply.code(rowCount === 0 ? 404 : 204).send();
  });
  await listen(fastify);
}
