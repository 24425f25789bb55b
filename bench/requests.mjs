// The requests of each kind of work: the same for every server, in the same order, in every run.
import { encodeCursor } from '../dist/resources/pagination.js';
import { makeAvailable, makeOrders } from './databases.mjs';
import { ACTIVE_KEYS, plainKey } from './keys.mjs';

/** Distinct requests of a random workload: enough that no two in flight are the same. */
const DIFFERENT = 30_000;

/** More than any machine manages: writing a row twice invalidates the round. */
const ROWS_PER_SECOND_MAX = 25_000;

const STATUSES = ['available', 'pending', 'sold'];
/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} LoadRequest */

/**
 * The requests of a work, to be sent one after another and again from the beginning; each with the next key.
 *
 * @param {'first-page' | 'random-pages' | 'by-id' | 'list-by-id' | 'by-ids' | 'change' | 'create' | 'order' | 'read-order' | 'change-order' | 'delete' | 'inventory'} work
 * @param {import('./contests.mjs').Server} server
 * @param {{ url: string, pets: number }} database
 * @param {number} seconds that the rows for orders and deletions must last
 * @returns {Promise<LoadRequest[]>}
 */
export async function requestsOf(work, { hasCursors, isBare }, { url, pets }, seconds) {
  const authorizations = Array.from({ length: ACTIVE_KEYS }, (_, number) => `Bearer ${plainKey(number)}`);
  const all = (count, make) =>
    Array.from({ length: count }, (_, index) =>
      withHeaders(make(index), authorizations[index % ACTIVE_KEYS]),
    );
  const random = createRandom(1);
  switch (work) {
    case 'first-page':
      return all(ACTIVE_KEYS, () => ({ method: 'GET', path: '/v1/pets' }));
    case 'random-pages':
      // The last pets are left out, so that every page is full.
      return all(DIFFERENT, () => ({
        method: 'GET',
        path: pagePath(hasCursors, 1 + random(pets - 500), random(2) === 0 ? undefined : STATUSES[random(3)]),
      }));
    case 'by-id':
      return all(DIFFERENT, () => ({ method: 'GET', path: `/v1/pets/${1 + random(pets)}` }));
    case 'list-by-id':
      return all(DIFFERENT, () => ({ method: 'GET', path: `/v1/pets?id=${1 + random(pets)}` }));
    case 'by-ids':
      return all(DIFFERENT, () => ({ method: 'GET', path: `/v1/pets?${idsQuery(random, pets)}` }));
    case 'change':
      return all(DIFFERENT, () => ({
        method: 'PATCH',
        path: `/v1/pets/${1 + random(pets)}`,
        body: JSON.stringify({ name: `Pet ${random(1_000_000)}` }),
      }));
    case 'create':
      return all(DIFFERENT, () => ({
        method: 'POST',
        path: '/v1/pets',
        body: JSON.stringify(randomPet(random)),
      }));
    case 'inventory':
      return all(ACTIVE_KEYS, () => ({ method: 'GET', path: '/v1/store/inventory' }));
    case 'read-order': {
      const ids = await makeOrders(url, isBare, DIFFERENT);
      return all(ids.length, (index) => ({ method: 'GET', path: `/v1/store/orders/${ids[index]}` }));
    }
    case 'order': {
      const ids = await makeAvailable(url, isBare, seconds * ROWS_PER_SECOND_MAX);
      return all(ids.length, (index) => ({
        method: 'POST',
        path: '/v1/store/orders',
        body: `{"petId":${ids[index]}}`,
      }));
    }
    case 'change-order': {
      const ids = await makeOrders(url, isBare, seconds * ROWS_PER_SECOND_MAX);
      return all(ids.length, (index) => ({
        method: 'PATCH',
        path: `/v1/store/orders/${ids[index]}`,
        body: '{"status":"approved"}',
      }));
    }
    case 'delete': {
      const ids = await makeAvailable(url, isBare, seconds * ROWS_PER_SECOND_MAX);
      return all(ids.length, (index) => ({ method: 'DELETE', path: `/v1/pets/${ids[index]}` }));
    }
    default:
      throw new Error(`unknown work: ${String(work)}`);
  }
}

const idsQuery = (random, pets) => Array.from({ length: 20 }, () => `id=${1 + random(pets)}`).join('&');

/** Peers take the identifier as it is; the service takes a cursor. */
function pagePath(hasCursors, fromId, status) {
  const filter = status === undefined ? '' : `status=${status}&`;
  const place = hasCursors
    ? `cursor=${encodeCursor(`/v1/pets?${filter}`, BigInt(fromId))}`
    : `from=${String(fromId)}`;
  return `/v1/pets?${filter}limit=20&${place}`;
}

function randomPet(random) {
  const name = `Pet ${'x'.repeat(random(24))}${random(1_000_000)}`;
  const pet = { name, categoryId: 1 + random(1024) };
  const status = STATUSES[random(STATUSES.length + 1)];
  return status === undefined ? pet : { ...pet, status };
}

function withHeaders(request, authorization) {
  const headers = { authorization, host: 'localhost' };
  if (request.body === undefined) return { ...request, headers };
  const length = String(Buffer.byteLength(request.body));
  return {
    ...request,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
  };
}

/** A source of integers from 0 to `below - 1` that is the same in every run (mulberry32). */
function createRandom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
