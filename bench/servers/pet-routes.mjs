// The operations of the Fastify peers on `pg`: one statement a request, as short as they can be written.
import pg from 'pg';

const INT8_OID = 20;

// The cheapest way to read an int64 that is small enough, where `pg` would return a text.
pg.types.setTypeParser(INT8_OID, Number);

/** @param {{ options?: string }} [settings] `options` are server settings for each connection */
export const openPool = (settings = {}) =>
  new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: Number(process.env.BENCH_POOL_MAX),
    ...settings,
  });

/**
 * Connections that send each statement at once, in turns, without waiting for the one before. Transactions have a pool of their own.
 */
export async function openPipelines() {
  const pool = openPool();
  const clients = Array.from({ length: Number(process.env.BENCH_POOL_MAX) }, () => {
    const connectionString = process.env.DATABASE_URL;
    return new pg.Client({ connectionString, pipeline: true });
  });
  await Promise.all(clients.map((client) => client.connect()));
  let turn = 0;
  const query = (one) => clients[(turn = (turn + 1) % clients.length)].query(one);
  return { query, connect: () => pool.connect() };
}

/** Listens, prints the address, and ends on SIGTERM. */
export async function listen(fastify) {
  await fastify.listen({ host: process.env.HOST, port: Number(process.env.PORT) });
  process.stdout.write(`http://localhost:${fastify.server.address().port}\n`);
  process.once('SIGTERM', () => process.exit(0));
}

/** Named, so that each connection prepares them once; rows are arrays. */
export const statement = (name, text) => (values) => ({ name, text, values, rowMode: 'array' });

const COLUMNS = 'id, name, category_id, status';
const listPets = statement('list_pets', `select ${COLUMNS} from pets where id >= $1 order by id limit $2`);
const listPetsByStatus = statement(
  'list_pets_by_status',
  `select ${COLUMNS} from pets where status = $1 and id >= $2 order by id limit $3`,
);
const listPetsByIds = statement(
  'list_pets_by_ids',
  `select ${COLUMNS} from pets where id = any ($1) order by id limit $2`,
);
const findPet = statement('find_pet', `select ${COLUMNS} from pets where id = $1`);
const createPet = statement(
  'create_pet',
  `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${COLUMNS}`,
);
const renamePet = statement('rename_pet', `update pets set name = $2 where id = $1 returning ${COLUMNS}`);

const PET = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
};

const petOf = ([id, name, categoryId, status]) =>
  status === null ? { id, name, categoryId } : { id, name, categoryId, status };

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {Pick<import('pg').Pool, 'query'>} pool
 */
export function addPetRoutes(fastify, pool) {
  const pets = { schema: { response: { 200: { type: 'array', items: PET } } } };
  fastify.get('/v1/pets', pets, async ({ query: { limit = 20, from = '0', status, id } }) => {
    const statementOf = () => {
      if (id !== undefined) return listPetsByIds([[].concat(id), limit]);
      return status === undefined ? listPets([from, limit]) : listPetsByStatus([status, from, limit]);
    };
    const { rows } = await pool.query(statementOf());
    return rows.map(petOf);
  });

  fastify.get('/v1/pets/:petId', { schema: { response: { 200: PET } } }, async (request, reply) => {
    const { rows } = await pool.query(findPet([request.params.petId]));
    return rows.length === 0 ? reply.code(404).send() : petOf(rows[0]);
  });

  fastify.post('/v1/pets', { schema: { response: { 201: PET } } }, async ({ body }, reply) => {
    const { rows } = await pool.query(createPet([body.name, body.categoryId, body.status ?? null]));
    reply.code(201);
    return petOf(rows[0]);
  });

  fastify.patch('/v1/pets/:petId', { schema: { response: { 200: PET } } }, async (request, reply) => {
    const { rows } = await pool.query(renamePet([request.params.petId, request.body.name]));
    return rows.length === 0 ? reply.code(404).send() : petOf(rows[0]);
  });
}
