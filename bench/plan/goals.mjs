// What the benchmark must show: ratios of the service to a baseline in one run.

/**
 * @typedef {object} Goal
 * @property {string} work
 * @property {string} against
 * @property {string} contest
 * @property {string} of contender
 * @property {string} to contender
 * @property {'requestsPerSecond' | 'p50Ms' | 'p99Ms'} figure
 * @property {'at least' | 'at most'} sense
 * @property {number} limit
 * @property {number} aim
 */

const BARE = 'bare Fastify + pg';
const SERVICE = 'service@large';
const rate = { of: SERVICE, figure: 'requestsPerSecond', sense: 'at least' };
const time = { of: SERVICE, sense: 'at most' };
const bare = { against: BARE, to: 'fastify-pg@large' };
const small = { against: 'on a small one', to: 'service@small' };

/** @type {readonly Goal[]} */
export const GOALS = [
  { work: 'first page of 20', ...rate, ...bare, contest: 'first-page', limit: 1.4, aim: 2.2 },
  { work: 'random pages of 20', ...rate, ...bare, contest: 'random-pages', limit: 1, aim: 1.4 },
  { work: 'one animal by id', ...rate, ...bare, contest: 'one-by-id', limit: 1.2, aim: 1.8 },
  { work: 'new animals, durable', ...rate, ...bare, contest: 'create', limit: 2, aim: 4 },
  {
    work: 'orders, durable',
    ...rate,
    ...bare,
    against: 'bare Fastify + pg, a transaction',
    contest: 'orders',
    limit: 1,
    aim: 2,
  },
  {
    work: 'first page',
    ...rate,
    against: 'the same from rate-limiter-flexible on PostgreSQL',
    to: 'fastify-rate-limiter-flexible@large',
    contest: 'first-page',
    limit: 5,
    aim: 8,
  },
  {
    work: 'first page',
    ...rate,
    against: 'node:http, constant answer',
    to: 'node-http@large',
    contest: 'first-page',
    limit: 0.28,
    aim: 0.45,
  },
  { work: 'p99, first page', ...time, ...bare, figure: 'p99Ms', contest: 'first-page', limit: 1, aim: 0.7 },
  {
    work: 'first page on a large database',
    ...rate,
    ...small,
    contest: 'scale-first-page',
    limit: 0.9,
    aim: 1,
  },
  {
    work: 'random pages on a large database',
    ...rate,
    ...small,
    contest: 'scale-random-pages',
    limit: 0.9,
    aim: 1,
  },
  {
    work: 'p50 of one client alone',
    ...time,
    ...bare,
    figure: 'p50Ms',
    contest: 'one-client',
    limit: 2.2,
    aim: 1.6,
  },
];
