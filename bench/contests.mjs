// The servers and the workloads that compare them.
import { readFileSync } from 'node:fs';

/** The service is measured as its image runs it. */
const DOCKERFILE = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const FLAGS_OF_IMAGE = /^CMD \["node", (.*)"dist/m.exec(DOCKERFILE)?.[1].match(/--[^"]+/g) ?? [];

/**
 * @typedef {object} Server
 * @property {string} title
 * @property {string} file relative to the project
 * @property {readonly string[]} flags of Node.js
 * @property {boolean} hasPool whether it is tried with several numbers of connections to PostgreSQL
 * @property {boolean} hasCursors whether its pages begin at the cursors of the service
 * @property {boolean} isBare whether its orders use tables without the service's triggers
 * @property {boolean} redis
 */

/** @returns {Server} */
const peer = (title, file, further = {}) => ({
  ...{
    title,
    file: `bench/${file}`,
    flags: [],
    hasPool: true,
    hasCursors: false,
    isBare: false,
    redis: false,
  },
  ...further,
});

export const SERVERS = {
  service: {
    ...peer('the service', ''),
    ...{ file: 'dist/main.js', flags: FLAGS_OF_IMAGE, hasPool: false, hasCursors: true },
  },
  obvious: peer('NestJS + Prisma + @nestjs/throttler on Redis', '.data/obvious/bench/obvious/main.js', {
    redis: true,
  }),
  'fastify-pg': peer('bare Fastify + pg', 'servers/fastify-pg.mjs', { isBare: true }),
  'fastify-pipeline': peer('bare Fastify + pg, whose connections pipeline', 'servers/fastify-pipeline.mjs', {
    isBare: true,
  }),
  'rate-limiter-flexible': peer(
    'Fastify + rate-limiter-flexible on PostgreSQL + pg',
    'servers/rate-limiter-flexible.mjs',
  ),
  'rate-limit': peer('Fastify + @fastify/rate-limit on Redis + pg', 'servers/rate-limit.mjs', {
    redis: true,
  }),
};

const EACH = ['service', 'obvious', 'fastify-pg', 'fastify-pipeline'];

/** The first server of a contest is the baseline. */
export const CONTESTS = [
  {
    title: 'The first page of 20',
    work: 'first-page',
    servers: [...EACH, 'rate-limiter-flexible', 'rate-limit'],
  },
  {
    title: 'Random pages of 20, half of them of one status',
    work: 'random-pages',
    servers: EACH,
  },
  { title: 'One pet by a random identifier: `GET /v1/pets?id=…`', work: 'list-by-id', servers: EACH },
  { title: 'The same by `GET /v1/pets/{petId}`, which is deprecated', work: 'by-id', servers: EACH },
  { title: 'Twenty pets by random identifiers', work: 'by-ids', servers: EACH },
  { title: 'One order by a random identifier', work: 'read-order', servers: EACH },
  // Last, because they change the data.
  {
    title: 'New names of random pets, each durable before its response',
    work: 'change',
    servers: EACH,
  },
  { title: 'New pets, each durable before its response', work: 'create', servers: EACH },
  {
    title: 'Orders of different pets, each durable before its response',
    work: 'order',
    servers: EACH,
  },
  {
    title: 'Approvals of different orders, each durable before its response',
    work: 'change-order',
    servers: EACH,
  },
  {
    title: 'Deletions of different pets, each durable before its response',
    work: 'delete',
    servers: EACH,
  },
];
