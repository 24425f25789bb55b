import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { startService, type TestService } from '../support/service.js';
import { type Chromium, startChromium } from './chromium.js';

/** Beyond 2^53, where JSON.parse would round. */
const BIG_ID = '9007199254740993';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 380, height: 800 };

let service: TestService;
let chromium: Chromium;
let key: string;

beforeAll(async () => {
  const nowMs = Date.now();
  // Its clock stands still, so that a limit that is used up stays so.
  service = await startService({
    clock: { nowMs: () => nowMs },
    environment: { ADDRESS_LIMIT_PER_MINUTE: '10000' },
  });
  ({ key } = await service.issueKey());
  await service.pool.query(`
    insert into pets (name, category_id) select 'Pet ' || n, n from generate_series(1, 30) as n`);
  await service.pool.query(`insert into pets (id, name, category_id) values (${BIG_ID}, 'Big', ${BIG_ID})`);
  chromium = await startChromium();
});
afterAll(async () => {
  await chromium.close();
  await service.close();
});

async function openDocs(size = WIDE, anchor = ''): Promise<{ page: Page; expectNoFaults: () => void }> {
  const { page, faults, hosts } = await chromium.open();
  await page.setViewportSize(size);
  // Then the page jumps to its anchors at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`${service.origin}/docs${anchor}`);
  await page.locator('#reference:not([aria-busy])').waitFor();
  const expectNoFaults = (): void => {
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(service.origin).host]);
  };
  return { page, expectNoFaults };
}

async function authorise(page: Page, withKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Use an API key' }).click();
  await page.getByLabel('API key', { exact: true }).fill(withKey);
  await page.getByRole('button', { name: 'Use the key' }).click();
}

/** Sends what the form of an operation holds, and waits for the response. */
async function send(form: Locator): Promise<string> {
  await form.getByRole('button', { name: 'Send' }).click();
  const outcome = form.getByRole('status');
  await outcome.locator('.status').waitFor();
  return await outcome.innerText();
}

const formOf = (page: Page, summary: string): Locator => page.getByRole('form', { name: `Try: ${summary}` });

/** A header of the response that a form shows. */
const shownHeader = async (form: Locator, name: string): Promise<string> =>
  await form.locator(`dt:text-is("${name}") + dd`).innerText();

const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** To look at: DOCS_SCREENSHOTS=folder stores screenshots. */
async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['DOCS_SCREENSHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}

describe('the docs page in Chromium', () => {
  it('rejects an invalid key, accepts a valid one, and forgets it again', async () => {
    const { page, expectNoFaults } = await openDocs();
    await authorise(page, 'psk_guessed');
    expect(await page.getByRole('alert').innerText()).toMatch(/38 letters and digits/);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Key ${key.slice(0, 8)}…` }).click();
    await page.getByRole('button', { name: 'Remove the key' }).click();
    expect(await send(formOf(page, 'List pets'))).toContain('401');
    expectNoFaults();
  });

  it('lists, shows the limits and every digit, and goes on to the next page', async () => {
    const { page, expectNoFaults } = await openDocs();
    await authorise(page, key);
    const form = formOf(page, 'List pets');
    await form.getByLabel('limit').fill('30');
    expect(await send(form)).toContain('200');
    expect(await shownHeader(form, 'x-ratelimit-limit')).toBe('1000000');
    await keepScreenshot(page, 'list-wide');
    await form.getByRole('button', { name: 'Next page' }).click();
    await form.getByText(BIG_ID).first().waitFor();
    expect(await form.getByLabel('Body').innerText()).toContain(`"id": ${BIG_ID},`);
    expect(await form.getByRole('button', { name: 'Next page' }).count()).toBe(0);
    expect(await page.getByLabel('Your rate limits').innerText()).toMatch(/\d+ of 1000000 this minute/);
    expectNoFaults();
  });

  it('creates what the form holds, to the digit, and says the same as a curl line', async () => {
    const { page, expectNoFaults } = await openDocs();
    await authorise(page, key);
    const form = formOf(page, 'Add a pet');
    await form.getByRole('button', { name: 'New' }).click();
    const claim = await form.getByLabel('Idempotency-Key').inputValue();
    expect(await form.locator('.curl').innerText()).toContain(`-H 'Idempotency-Key: ${claim}'`);
    expect(await send(form)).toContain('201');
    expect(await form.locator('.response').innerText()).toContain(`"categoryId": ${BIG_ID}`);
    const location = await shownHeader(form, 'location');
    await send(form);
    expect([await shownHeader(form, 'location'), await shownHeader(form, 'idempotency-replayed')]).toEqual([
      location,
      'true',
    ]);
    expectNoFaults();
  });

  it.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('shows a 429, when to come again, and the state of the limits (%s)', async (name, size) => {
    const { page, expectNoFaults } = await openDocs(size);
    const { key: tight } = await service.issueKey({ perMinute: 2 });
    await authorise(page, tight);
    const form = formOf(page, 'Get the inventory');
    expect(await send(form)).toContain('200');
    expect(await send(form)).toContain('200');
    expect(await send(form)).toContain('429');
    const seconds = await shownHeader(form, 'retry-after');
    expect(await form.locator('.response').innerText()).toContain(`Wait ${seconds} s`);
    expect(await form.locator('.response-headers .limit').first().isVisible()).toBe(true);
    expect(await shownHeader(form, 'x-ratelimit-remaining')).toBe('0');
    expect(await page.getByLabel('Your rate limits').innerText()).toContain('0 of 2 this minute');
    await keepScreenshot(page, `rejected-${name}`);
    expectNoFaults();
  });

  it('works with the keyboard alone', async () => {
    const { page } = await openDocs();
    const focused = (): Promise<unknown> =>
      page.evaluate('document.activeElement.id || document.activeElement.className');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('key-button');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('key-input');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('key-button');
  });

  it.each(['light', 'dark'] as const)(
    'fits a narrow screen, with its contents in a menu (%s)',
    async (colorScheme) => {
      const { page, expectNoFaults } = await openDocs(NARROW);
      await page.emulateMedia({ colorScheme });
      await keepScreenshot(page, `start-narrow-${colorScheme}`);
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Contents' }).click();
      await page.getByRole('link', { name: 'Place an order' }).click();
      expect(await page.getByRole('navigation').isVisible()).toBe(false);
      expect(new URL(page.url()).hash).toBe('#placeOrder');
      expect(await overflowOf(page)).toBe(0);
      expectNoFaults();
    },
  );

  it.each(['#deprecation', '#getPet', '#errors'])('leads to %s, also from outside', async (anchor) => {
    const { page } = await openDocs(WIDE, anchor);
    const { y: top } = (await page.locator(anchor).boundingBox()) ?? { y: -1 };
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(WIDE.height);
  });

  it('lists the plans with their limits', async () => {
    const { page } = await openDocs();
    const { rows } = await service.pool.query<{ id: string; perMinute: number | null }>(
      'select id, requests_per_minute as "perMinute" from plans order by requests_per_minute nulls last, id',
    );
    const cells = await page.locator('#plan-table tbody td:nth-child(-n+2)').allInnerTexts();
    expect(cells).toEqual(
      rows.flatMap(({ id, perMinute }) => [id, perMinute?.toLocaleString('en') ?? 'set for each key']),
    );
  });

  it('lists every error code of the document', async () => {
    const { page } = await openDocs();
    const document = (await (await service.fetch('/openapi.json')).json()) as {
      components: { schemas: { Error: { properties: { code: { enum: string[] } } } } };
    };
    const codes = await page.locator('#error-table tbody td:nth-child(2)').allInnerTexts();
    expect(codes.sort()).toEqual(document.components.schemas.Error.properties.code.enum.sort());
  });
});
