import type { Reply } from './transport.js';
import type { Page } from './types.js';

/** A page of items, with the cursor of the next page from the `Link` header. */
export function pageOf<Item>({ value, headers }: Reply): Page<Item> {
  const items = value as readonly Item[];
  const [, target] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
  // The link may be a path without an origin; only its query matters.
  const next =
    target === undefined ? null : new URL(target, 'http://service.invalid').searchParams.get('cursor');
  return next === null ? { items } : { items, next };
}

/** All items of a list. Each page is fetched when the iteration reaches it. */
export async function* everyItem<Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** A query string of the defined members; empty if there are none. */
export function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}
