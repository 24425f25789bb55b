// Placing an order on `pg`: a transaction of two statements, with nothing else to keep in order.

const ORDER_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    petId: { type: 'integer' },
    status: { type: 'string' },
    placedAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
  },
};

const named = (name, text) => (values) => ({ name, text, values, rowMode: 'array' });

const takePet = named(
  'take_pet',
  `update bare_pets set status = 'pending' where id = $1 and status = 'available'`,
);
const placeOrder = named(
  'place_order',
  `insert into bare_orders (pet_id) values ($1) returning id, pet_id, status, placed_at, updated_at`,
);

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {import('pg').Pool} pool
 */
export function addOrderRoutes(fastify, pool) {
  fastify.post(
    '/v1/store/orders',
    { schema: { response: { 201: ORDER_SCHEMA } } },
    async ({ body }, reply) => {
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
    },
  );
}
