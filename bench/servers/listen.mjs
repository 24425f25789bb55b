// How a baseline begins and ends.

/**
 * Listens, says where as the service does, and closes on SIGTERM.
 *
 * @param {import('fastify').FastifyInstance} fastify
 */
export async function listen(fastify) {
  await fastify.listen({ host: process.env.HOST, port: Number(process.env.PORT) });
  process.stdout.write(`http://localhost:${fastify.server.address().port}\n`);
  process.once('SIGTERM', () => process.exit(0));
}
