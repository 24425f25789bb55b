import { ApiError } from './api-error.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { INT64_MIN } from './int64.js';
import type { PagingQuery } from './paging.query.js';
import type { PublicUrl } from './public-url.js';

/** A list by ascending identifier, with the filters that were asked for. */
export interface FilteredList {
  readonly path: string;
  /** By their parameter's name; the values need no escaping. */
  readonly filter: Readonly<Record<string, string | undefined>>;
}

/** What was cut from rows that several callers share; they asked for the same page. */
const shownOf = new WeakMap<readonly unknown[], readonly unknown[]>();

/** A page of a list: where it begins, how many rows to ask for, and the links it leads to. */
export class Paging {
  /** The smallest identifier that may be on the page. */
  readonly fromId: bigint;
  /** One row more than the page shows, which tells whether another page follows. */
  readonly size: number;
  readonly #limit: number;
  /** The list with its filter, without a page: what a cursor is bound to. */
  readonly #list: string;

  /** @throws ApiError invalid_parameter when the cursor is none of this list and filter */
  constructor({ path, filter }: FilteredList, { limit, cursor }: PagingQuery) {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    this.#list = `${path}?${given.map(([name, value]) => `${name}=${value}&`).join('')}`;
    this.#limit = limit;
    this.size = limit + 1;
    const fromId = cursor === undefined ? INT64_MIN : decodeCursor(this.#list, cursor);
    if (fromId === undefined) {
      throw new ApiError(
        'invalid_parameter',
        'cursor must be one that this list gave, with the same filter.',
      );
    }
    this.fromId = fromId;
  }

  /** The rows that the page shows: one array for all who share `rows`, so that it is written as JSON only once. */
  shown<Row>(rows: readonly Row[]): readonly Row[] {
    if (rows.length <= this.#limit) return rows;
    const known = shownOf.get(rows);
    if (known !== undefined) return known as readonly Row[];
    const shown = rows.slice(0, this.#limit);
    shownOf.set(rows, shown);
    return shown;
  }

  /** The `Link` header of the page: `next` unless it is the last one, and `first`. */
  links(rows: readonly { readonly id: bigint }[], publicUrl: PublicUrl): string {
    const target = publicUrl.to(`${this.#list}limit=${this.#limit}`);
    const first = `<${target}>; rel="first"`;
    const following = rows[this.#limit];
    if (following === undefined) return first;
    return `<${target}&cursor=${encodeCursor(this.#list, following.id)}>; rel="next", ${first}`;
  }
}
