// Who is compared with whom, at which work.

/**
 * @typedef {object} Contender
 * @property {import('../servers/list.mjs').ServerName} server
 * @property {'large' | 'small'} size of its database
 */

/**
 * @typedef {object} Contest
 * @property {string} id
 * @property {string} title
 * @property {import('../requests.mjs').Work} work
 * @property {number} connections
 * @property {readonly Contender[]} contenders the first is the one whose answers the others must give, too
 */

const CONNECTIONS = 64;

const on = (size, ...servers) => servers.map((server) => ({ server, size }));
const AGAINST_BARE = on('large', 'service', 'fastify-pg');

/** @type {readonly Contest[]} */
export const CONTESTS = [
  {
    id: 'first-page',
    title: 'The first page of 20',
    work: 'first-page',
    connections: CONNECTIONS,
    contenders: on(
      'large',
      'service',
      'fastify-pg',
      'fastify-rate-limiter-flexible',
      'fastify-rate-limit',
      'fastify-constant',
      'node-http',
    ),
  },
  {
    id: 'random-pages',
    title: 'Random pages of 20, half of them of one status',
    work: 'random-pages',
    connections: CONNECTIONS,
    contenders: AGAINST_BARE,
  },
  {
    id: 'one-by-id',
    title: 'One animal by a random identifier',
    work: 'one-by-id',
    connections: CONNECTIONS,
    contenders: AGAINST_BARE,
  },
  {
    id: 'scale-first-page',
    title: 'The first page, on a large and on a small database',
    work: 'first-page',
    connections: CONNECTIONS,
    contenders: [...on('large', 'service'), ...on('small', 'service')],
  },
  {
    id: 'scale-random-pages',
    title: 'Random pages, on a large and on a small database',
    work: 'random-pages',
    connections: CONNECTIONS,
    contenders: [...on('large', 'service'), ...on('small', 'service')],
  },
  {
    id: 'one-client',
    title: 'One client, one request at a time: the first page',
    work: 'first-page',
    connections: 1,
    contenders: AGAINST_BARE,
  },
  // Last, for they change what the others read.
  {
    id: 'create',
    title: 'New animals, each durable before its answer',
    work: 'create',
    connections: CONNECTIONS,
    contenders: AGAINST_BARE,
  },
  {
    id: 'orders',
    title: 'Orders for different animals, each durable before its answer',
    work: 'orders',
    connections: CONNECTIONS,
    contenders: AGAINST_BARE,
  },
];
