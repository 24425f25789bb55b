import { InvalidInputError } from './error.js';
import { digitsOf, type Int64Like, isInt64 } from './int64.js';
import type { Page } from './types.js';

/** A list. `for await` gives its items; each page is fetched when the iteration reaches it. */
export class List<Item> implements AsyncIterable<Item> {
  constructor(private readonly fetchPage: (cursor: string | undefined) => PromiseLike<Page<Item>>) {}

  /** The list by page. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.fetchPage(cursor);
      yield page;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /**
   * Up to `max` items as an array: a list may not fit into memory. Fetches pages until the array is full.
   *
   * @throws InvalidInputError if `max` is not a positive integer
   */
  async toArray(max: number): Promise<Item[]> {
    if (!Number.isInteger(max) || max < 1) throw new InvalidInputError('max', 'must be a positive integer.');
    const items: Item[] = [];
    for await (const item of this) {
      items.push(item);
      if (items.length >= max) break;
    }
    return items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }
}

/** A page of items, with the cursor of the next page from the `Link` header. @internal */
export function pageOf<Item>(items: readonly Item[], headers: Headers): Page<Item> {
  const [, target] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
  // The link may be a path without an origin; only its query matters.
  const next =
    target === undefined ? null : new URL(target, 'http://service.invalid').searchParams.get('cursor');
  return next === null ? { items } : { items, next };
}

type QueryValue = Int64Like | readonly Int64Like[] | undefined;

/**
 * A query string of the defined members; empty if there are none.
 *
 * @throws InvalidInputError for an empty array, which would otherwise filter nothing
 * @internal
 */
export function queryOf(members: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length === 0)
      throw new InvalidInputError(name, 'is an empty array, which no item can match.');
    for (const one of [value].flat() as readonly Int64Like[])
      query.append(name, isInt64(name) ? digitsOf(name, one) : String(one));
  }
  return query.size === 0 ? '' : `?${query}`;
}
