// What the benchmark must show: ratios of the service to a server that does the same work, in one run.

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

const SERVICE = 'service@large';
const rate = { of: SERVICE, figure: 'requestsPerSecond', sense: 'at least' };
const small = { against: 'on a small one', to: 'service@small' };

/** @type {readonly Goal[]} */
export const GOALS = [
  {
    work: 'first page',
    ...rate,
    against: 'the same from rate-limiter-flexible on PostgreSQL',
    to: 'fastify-rate-limiter-flexible@large',
    contest: 'first-page',
    limit: 2.6,
    aim: 4,
  },
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
];
