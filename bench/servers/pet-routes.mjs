// The three operations on `pg`, one statement a request: the work itself, as short as it can be written.
import { createPet, findPet, listPets, listPetsByStatus, petOf, PET_SCHEMA, PETS_SCHEMA } from './pets.mjs';

const PAGE_DEFAULT = 20;

/**
 * @param {import('fastify').FastifyInstance} fastify
 * @param {import('pg').Pool} pool
 */
export function addPetRoutes(fastify, pool) {
  fastify.get('/v1/pets', { schema: { response: { 200: PETS_SCHEMA } } }, async ({ query }) => {
    const limit = Number(query.limit ?? PAGE_DEFAULT);
    const from = query.from ?? '0';
    const { rows } = await pool.query(
      query.status === undefined ? listPets([from, limit]) : listPetsByStatus([query.status, from, limit]),
    );
    return rows.map(petOf);
  });

  fastify.get('/v1/pets/:petId', { schema: { response: { 200: PET_SCHEMA } } }, async (request, reply) => {
    const { rows } = await pool.query(findPet([request.params.petId]));
    return rows.length === 0 ? reply.code(404).send() : petOf(rows[0]);
  });

  fastify.post('/v1/pets', { schema: { response: { 201: PET_SCHEMA } } }, async ({ body }, reply) => {
    const { rows } = await pool.query(createPet([body.name, body.categoryId, body.status ?? null]));
    reply.code(201);
    return petOf(rows[0]);
  });
}
