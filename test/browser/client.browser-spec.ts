import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type * as Client from '../../client/src/index.js';
import { handClock } from '../client/clients.js';
import { type InstalledClient, installClient } from '../client/installed-client.js';
import { closeAtEnd } from '../support/close-at-end.js';
import { startService, type TestService } from '../support/service.js';
import { type Chromium, startChromium } from './chromium.js';
import { serveShop, type ShopPage } from './shop-page.js';

/** Beyond 2^53, where JSON.parse would round. */
const BIG_ID = '9007199254740993';

const PETS = 25;

/** The globals of the page: code of a test that runs there sees nothing else of this file. */
declare const client: typeof Client;
declare const pass: (ms: number) => Promise<void>;

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A request as it left the browser. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const clock = handClock('2026-11-20T09:30:12.000Z');

let service: TestService;
let installed: InstalledClient;
let shop: ShopPage;
let chromium: Chromium;

beforeAll(async () => {
  [service, installed] = await Promise.all([
    closeAtEnd(startService({ clock })),
    closeAtEnd(installClient()),
  ]);
  shop = await closeAtEnd(serveShop(installed.packageFolder));
  await service.pool.query(
    `insert into pets (name, category_id) select 'Pet ' || n, n from generate_series(1, $1) as n`,
    [PETS - 1],
  );
  await service.pool.query(
    `insert into pets (id, name, category_id, status) overriding system value values ($1, 'Far', $1, 'available')`,
    [BIG_ID],
  );
  chromium = await closeAtEnd(startChromium());
});

async function openShop(at = service): Promise<{ page: Page; access: Access; sent: readonly Sent[] }> {
  const { page } = await chromium.open();
  const sent: Sent[] = [];
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  // Playwright itself keeps preflights to itself.
  network.on('Network.requestWillBeSent', ({ request: { method, url, headers } }) => {
    if (url.startsWith(at.origin)) sent.push({ method, path: url.slice(at.origin.length), headers });
  });
  await page.exposeFunction('pass', clock.sleep);
  await page.goto(shop.origin);
  // As text: compiled, it would be a call of `require`.
  await page.evaluate("import('@petstore/client').then((module) => { globalThis.client = module; })");
  const { key } = await service.issueKey();
  return { page, access: { baseUrl: `${at.origin}/v1`, apiKey: key }, sent };
}

describe("the client in a browser, on a page of another origin than the service's", () => {
  it('walks every page of a list, with every digit of the identifiers', async () => {
    const { page, access, sent } = await openShop();
    const ids = await page.evaluate(async (to) => {
      const seen: string[] = [];
      for await (const pet of new client.PetStore(to).pets({ limit: 10 })) seen.push(pet.id);
      return seen;
    }, access);
    expect(ids).toHaveLength(PETS);
    expect(ids.at(-1)).toBe(BIG_ID);
    // The next page's address is in a header, which the browser shows to the page because the service exposes it.
    const pages = pathsOf(sent, 'GET');
    expect(pages).toEqual([
      '/v1/pets?limit=10',
      expect.stringMatching(/^\/v1\/pets\?limit=10&cursor=/),
      expect.stringMatching(/^\/v1\/pets\?limit=10&cursor=/),
    ]);
    // Browsers cache preflights by URL: each page of the list has one of its own.
    expect(pathsOf(sent, 'OPTIONS').sort()).toEqual([...pages].sort());
  });

  it('creates under an Idempotency-Key of its own, after a preflight that allows it', async () => {
    const { page, access, sent } = await openShop();
    const { pet, order } = await page.evaluate(
      async ([to, categoryId]) => {
        const store = new client.PetStore(to);
        const created = await store.createPet({ name: 'Rex 🐕', categoryId, status: 'available' });
        const placed = await store.placeOrder(created.id);
        return { pet: created, order: await store.changeOrder(placed.id, 'cancelled') };
      },
      [access, BIG_ID] as const,
    );
    expect(pet).toEqual({ id: pet.id, name: 'Rex 🐕', categoryId: BIG_ID, status: 'available' });
    expect(order).toMatchObject({ petId: pet.id, status: 'cancelled' });
    const { rows } = await service.pool.query<{ digits: string }>(
      'select category_id::text as digits from pets where id = $1',
      [pet.id],
    );
    expect(rows).toEqual([{ digits: BIG_ID }]);
    expect(pathsOf(sent, 'POST')).toEqual(['/v1/pets', '/v1/store/orders']);
    expect(pathsOf(sent, 'PATCH')).toEqual([`/v1/store/orders/${order.id}`]);
    expect(pathsOf(sent, 'OPTIONS')).toEqual([
      '/v1/pets',
      '/v1/store/orders',
      `/v1/store/orders/${order.id}`,
    ]);
    const keys = sent.filter(({ method }) => method === 'POST').map(({ headers }) => keyOf(headers));
    expect(keys).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('waits for the reset of a limit that is used up, and is then admitted, without a 429', async () => {
    const { page, access, sent } = await openShop();
    const { key } = await service.issueKey({ perMinute: 2 });
    const before = clock.waitsMs.length;
    const untilNextMinuteMs = 60_000 - (clock.nowMs() % 60_000);
    const startedAt = performance.now();
    const inventory = await page.evaluate(
      async (to) => {
        Math.random = () => 0;
        const store = new client.PetStore({ ...to, sleep: (ms) => pass(ms) });
        for (let n = 0; n < 2; n += 1) await store.inventory();
        return await store.inventory();
      },
      { ...access, apiKey: key },
    );
    expect(inventory).toMatchObject({ sold: expect.any(Number) });
    const [waitMs = 0, ...others] = clock.waitsMs.slice(before);
    // The clock of the service stands still meanwhile, that of the page does not.
    expect(waitMs).toBeGreaterThan(untilNextMinuteMs - (performance.now() - startedAt));
    expect(waitMs).toBeLessThan(untilNextMinuteMs + 100);
    expect(others).toEqual([]);
    expect(pathsOf(sent, 'GET')).toHaveLength(3);
  });
});

const pathsOf = (sent: readonly Sent[], wanted: string): string[] =>
  sent.filter(({ method }) => method === wanted).map(({ path }) => path);

/** As the page wrote it: the browser keeps the case of names here. */
function keyOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
}
