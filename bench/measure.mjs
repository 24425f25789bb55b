// One round of load on one server, and what it cost.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA_DIRECTORY } from './databases.mjs';

/** USER_HZ, which is 100 on every Linux that Node.js runs on. */
const MICROSECONDS_PER_TICK = 10_000;

/** Fields of /proc/PID/stat after the name in brackets: the parent, the times of the process, those of ended children. */
const [PARENT, USER, SYSTEM, ENDED_USER, ENDED_SYSTEM] = [1, 11, 12, 13, 14];

/**
 * @typedef {object} Round
 * @property {number} requestsPerSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} cpuMicroseconds of the server, a request; NaN where the system does not report it (only Linux does)
 * @property {number} postgresMicroseconds of PostgreSQL, a request
 * @property {number} memoryBytes of the server at the end
 * @property {boolean} isValid whether all responses came and were 2xx
 */

/**
 * @param {{ pid: number }} server
 * @param {() => Promise<import('./load.mjs').LoadResult>} drive
 * @returns {Promise<Round>}
 */
export async function measureRound({ pid }, drive) {
  const [cpuBefore, postgresBefore] = [await cpuOf(pid), await postgresCpu()];
  const { requests, seconds, p50Ms, p99Ms, notOk, broken } = await drive();
  const [cpuAfter, postgresAfter] = [await cpuOf(pid), await postgresCpu()];
  return {
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    cpuMicroseconds: (cpuAfter - cpuBefore) / requests,
    postgresMicroseconds: (postgresAfter - postgresBefore) / requests,
    memoryBytes: await memoryOf(pid),
    isValid: requests > 0 && notOk === 0 && broken === 0,
  };
}

async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function cpuOf(pid) {
  const fields = await statOf(pid);
  return (Number(fields[USER]) + Number(fields[SYSTEM])) * MICROSECONDS_PER_TICK;
}

async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Microseconds of all processes of the server, those that have ended included. */
async function postgresCpu() {
  const file = await readFile(join(DATA_DIRECTORY, 'cluster/postmaster.pid'), 'utf8');
  const postmaster = file.split('\n')[0];
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  let ticks = pids.length === 0 ? Number.NaN : 0;
  for (const pid of pids) {
    const fields = await statOf(pid);
    if (pid !== postmaster && fields[PARENT] !== postmaster) continue;
    ticks += Number(fields[USER]) + Number(fields[SYSTEM]);
    if (pid === postmaster) ticks += Number(fields[ENDED_USER]) + Number(fields[ENDED_SYSTEM]);
  }
  return ticks * MICROSECONDS_PER_TICK;
}

/** The middle value, or the mean of the two middle ones. */
export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const COMPARED = 40;

/**
 * Checks that servers do the same work: they must respond to the same request with the same bytes.
 *
 * @throws Error with the first difference
 */
export async function assertSameResponses(contenders) {
  // The warm-up used up the orders.
  for (const { prepare } of contenders) await prepare(1);
  const [first, ...others] = contenders;
  for (let index = 0; index < COMPARED; index += 1) {
    const expected = await bodyOf(first, index);
    for (const other of others) {
      const actual = await bodyOf(other, index);
      if (actual === expected) continue;
      throw new Error(`${other.name} responds with ${actual}, ${first.name} with ${expected}`);
    }
  }
}

async function bodyOf({ running, requests }, index) {
  const { method, path, headers, body } = requests[index];
  const { host: _, 'content-length': __, ...own } = headers;
  const response = await fetch(running.address + path, { method, headers: own, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  // New pets have different identifiers; orders have different pets and times on each server.
  if (path.startsWith('/v1/store/')) return text.replaceAll(/\d+/g, '0');
  return method === 'POST' ? text.replace(/"id":\d+/, '"id":0') : text;
}
