import type { Answer } from './transport.js';
import type { Page } from './types.js';

/** The page that an answer is, with the cursor out of its `Link` header. */
export function pageOf<Item>({ value, headers }: Answer): Page<Item> {
  const items = value as readonly Item[];
  const [, target] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
  // The target may be a path alone; only its query is of interest.
  const next =
    target === undefined ? null : new URL(target, 'http://service.invalid').searchParams.get('cursor');
  return next === null ? { items } : { items, next };
}

/** Every item of a list, page by page: the next page is fetched when it is reached. */
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

/** A query string out of what is defined; empty when nothing is. */
export function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}
