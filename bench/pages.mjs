// How a page that begins at an animal is asked for. Baselines take the identifier as it is; the service takes a cursor.
import { encodeCursor } from '../dist/common/pagination.js';

/**
 * What makes the target of a page for a kind of server.
 *
 * @param {{ cursors: boolean }} server whether it knows the service's cursors
 * @returns {(page: { fromId: number, status?: string }) => string}
 */
export function pageUrls({ cursors }) {
  return ({ fromId, status }) => {
    const filter = status === undefined ? '' : `status=${status}&`;
    const place = cursors
      ? `cursor=${encodeCursor(`/v1/pets?${filter}`, BigInt(fromId))}`
      : `from=${String(fromId)}`;
    return `/v1/pets?${filter}limit=20&${place}`;
  };
}
