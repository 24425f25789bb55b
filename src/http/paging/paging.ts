import { ApiError } from '../../errors/api-error.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { INT64_MIN } from '../input/int64.js';
import type { PagingQuery } from './paging.query.js';
import type { PublicUrl } from '../public-url.js';

/** A list by ascending identifier, with the filters that were asked for. */
export interface FilteredList {
  readonly path: string;
  /** By their parameter's name; the values need no escaping. */
  readonly filter: Readonly<Record<string, string | undefined>>;
}

/** A page of a list: where it begins, and the links it leads to. */
export class Paging {
  /** The smallest identifier that may be on the page. */
  readonly fromId: bigint;
  readonly #limit: number;
  /** The list with its filter, without a page: what a cursor is bound to. */
  readonly #list: string;

  /** @throws ApiError invalid_parameter when the cursor is none of this list and filter */
  constructor({ path, filter }: FilteredList, { limit, cursor }: PagingQuery) {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    this.#list = `${path}?${given.map(([name, value]) => `${name}=${value}&`).join('')}`;
    this.#limit = limit;
    const fromId = cursor === undefined ? INT64_MIN : decodeCursor(this.#list, cursor);
    if (fromId === undefined) {
      throw new ApiError(
        'invalid_parameter',
        'cursor must be one that this list gave, with the same filter.',
      );
    }
    this.fromId = fromId;
  }

  /**
   * The `Link` header of the page: `next` unless it is the last one, and `first`.
   *
   * @param nextId the identifier that the next page begins at
   */
  links(nextId: bigint | null, publicUrl: PublicUrl): string {
    const target = publicUrl.to(`${this.#list}limit=${this.#limit}`);
    const first = `<${target}>; rel="first"`;
    if (nextId === null) return first;
    return `<${target}&cursor=${encodeCursor(this.#list, nextId)}>; rel="next", ${first}`;
  }
}
