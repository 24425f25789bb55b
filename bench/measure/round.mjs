// One round: load on one server for some seconds, and what it cost.
import { postgresCpu } from './postgres-cpu.mjs';

/**
 * @typedef {object} Round
 * @property {number} requestsPerSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} statementsPerRequest
 * @property {number} cpuMicroseconds of the server, a request
 * @property {number | null} postgresMicroseconds of PostgreSQL, a request
 * @property {number} memoryBytes of the server at the end
 * @property {boolean} void whether any answer was not 2xx or did not come
 */

/**
 * @param {import('../servers/start.mjs').Running} server
 * @param {() => Promise<import('../load/load.mjs').LoadResult>} drive
 * @returns {Promise<Round>}
 */
export async function measureRound(server, drive) {
  const [before, postgresBefore] = [await server.ask('usage'), await postgresCpu()];
  const { requests, seconds, p50Ms, p99Ms, notOk, broken } = await drive();
  const [after, postgresAfter] = [await server.ask('usage'), await postgresCpu()];
  const perRequest = (name) => (after[name] - before[name]) / requests;
  const hasPostgres = postgresBefore !== undefined && postgresAfter !== undefined;
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    statementsPerRequest: perRequest('statements'),
    cpuMicroseconds: perRequest('cpuMicroseconds'),
    postgresMicroseconds: hasPostgres ? (postgresAfter - postgresBefore) / requests : null,
    memoryBytes: after.memoryBytes,
    void: requests === 0 || notOk > 0 || broken > 0,
  };
}
