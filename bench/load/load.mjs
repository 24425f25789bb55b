// Which program makes the load.
import * as autocannon from './autocannon.mjs';
import * as wrk from './wrk.mjs';

/**
 * @typedef {object} LoadResult
 * @property {number} requests
 * @property {number} seconds
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} notOk answers that are not 2xx
 * @property {number} broken connections that failed, and answers that did not come
 */

/** @param {string | undefined} wanted a program's name; without it wrk where it is installed */
export async function chooseLoad(wanted) {
  if (wanted === 'autocannon') return autocannon;
  if (wanted === 'wrk' || (await wrk.isPresent())) return wrk;
  return autocannon;
}
