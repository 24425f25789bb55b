// What is asked in each kind of work: the same for every server, in the same order.
import { ACTIVE_KEYS, plainKey } from './keys.mjs';
import { pageUrls } from './pages.mjs';
import { createRandom } from './random.mjs';

/** Different requests of a work that is random. Too many for two under way at a time to be the same. */
const DIFFERENT = 30_000;

const STATUSES = ['available', 'pending', 'sold'];

/** @typedef {'first-page' | 'random-pages' | 'one-by-id' | 'create' | 'orders'} Work */
/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} LoadRequest */

/**
 * The requests of a work, to be sent one after another and again from the beginning; each with the next key.
 *
 * @param {Work} work
 * @param {{ cursors: boolean }} server
 * @param {number} animals in the database
 * @returns {LoadRequest[]}
 */
export function requestsOf(work, server, animals) {
  const random = createRandom(1);
  const pageUrl = pageUrls(server);
  const authorizations = Array.from({ length: ACTIVE_KEYS }, (_, number) => `Bearer ${plainKey(number)}`);
  const make = {
    'first-page': () => ({ method: 'GET', path: '/v1/pets' }),
    'random-pages': () => ({ method: 'GET', path: pageUrl(randomPage(random, animals)) }),
    'one-by-id': () => ({ method: 'GET', path: `/v1/pets/${1 + random(animals)}` }),
    create: () => ({ method: 'POST', path: '/v1/pets', body: JSON.stringify(randomPet(random)) }),
  }[work];
  const count = work === 'first-page' ? ACTIVE_KEYS : DIFFERENT;
  return Array.from({ length: count }, (_, index) =>
    withHeaders(make(), authorizations[index % ACTIVE_KEYS]),
  );
}

/**
 * An order for each animal.
 *
 * @param {readonly string[]} petIds
 * @returns {LoadRequest[]}
 */
export const ordersOf = (petIds) =>
  petIds.map((petId, index) =>
    withHeaders(
      { method: 'POST', path: '/v1/store/orders', body: `{"petId":${petId}}` },
      `Bearer ${plainKey(index % ACTIVE_KEYS)}`,
    ),
  );

/** Every second page is one of a status. The last animals are left out, so that every page is full. */
function randomPage(random, animals) {
  const fromId = 1 + random(animals - 500);
  return random(2) === 0 ? { fromId } : { fromId, status: STATUSES[random(STATUSES.length)] };
}

function randomPet(random) {
  const name = `Animal ${'x'.repeat(random(24))}${random(1_000_000)}`;
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
