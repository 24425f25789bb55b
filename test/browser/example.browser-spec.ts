import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { prepareFirstStart } from '../../src/samples/first-start.js';
import { type InstalledClient, installClient } from '../client/installed-client.js';
import { startService, type TestService } from '../support/service.js';
import { accessibilityFaults, type Chromium, keepScreenshot, overflowOf, startChromium } from './chromium.js';
import { serveShop, type ShopPage } from './shop-page.js';

let service: TestService;
let client: InstalledClient;
let shop: ShopPage;
let chromium: Chromium;
let key: string;

beforeAll(async () => {
  const nowMs = Date.now();
  // Its clock stands still, so that a limit that is used up stays so.
  [service, client] = await Promise.all([startService({ clock: { nowMs: () => nowMs } }), installClient()]);
  await prepareFirstStart(service.databaseUrl, (first) => (key = first?.apiKey ?? ''));
  shop = await serveShop(client.packageFolder);
  chromium = await startChromium();
});
afterAll(async () => {
  await chromium.close();
  await Promise.all([shop.close(), service.close(), client.remove()]);
});

async function openShop(withKey = key): Promise<{ page: Page; faults: readonly string[] }> {
  const { page, faults } = await chromium.open();
  await page.goto(shop.origin);
  await page.getByLabel('Service').fill(`${service.origin}/v1`);
  await page.getByLabel('API key').fill(withKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  return { page, faults };
}

describe('the shop of the examples, on the packed client', () => {
  it('lists and filters pets, adds one and orders it, and shows the rate limit', async () => {
    const { page, faults } = await openShop();
    const pets = page.getByRole('listitem');
    await pets.nth(9).waitFor();
    const limit = page.locator('#limit');
    expect(await limit.innerText()).toMatch(/^299 of 300 requests remaining until /);
    await page.getByRole('button', { name: 'More pets' }).click();
    await pets.nth(19).waitFor();

    await page.getByLabel('available').uncheck();
    await page.getByLabel('sold').check();
    await page.locator('.state.sold').nth(9).waitFor();
    expect(await pets.count()).toBe(10);
    await page.getByLabel('sold').uncheck();
    await page.getByLabel('available').check();

    await page.getByLabel('Name').fill('Rex');
    const form = page.locator('#create');
    await form.getByLabel('Category').fill('9007199254740993');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Rex has the number 301.').waitFor();
    await page.getByText('number 301, category 9007199254740993').waitFor();

    await page.getByRole('button', { name: 'Order Rex' }).click();
    await page.getByText(/^Rex is yours: order \d+\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Order Rex' }).isVisible()).toBe(false);
    const { rows } = await service.pool.query('select status from pets where id = 301');
    expect(rows).toEqual([{ status: 'pending' }]);

    await form.getByLabel('Category').fill('seven');
    await page.getByLabel('Name').fill('Rex');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('categoryId must be an integer').waitFor();
    expect(faults).toEqual([]);
  });

  it('says what is wrong with the key, and when it tries again', async () => {
    const { page } = await openShop('psk_guessed');
    await page.getByText('The API key is not valid.').waitFor();
    const { key: tight } = await service.issueKey({ perMinute: 1 });
    await page.getByLabel('API key').fill(tight);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'More pets' }).click();
    await page.getByText(/Trying again in \d+ s\.$/).waitFor();
    expect(await page.locator('#limit').innerText()).toMatch(/^0 of 1 requests remaining/);
  });

  it.each([
    ['wide', 1440, 'light'],
    ['wide', 1440, 'dark'],
    ['narrow', 390, 'light'],
    ['narrow', 390, 'dark'],
  ] as const)('is accessible and fits (%s, %d pixels, %s)', async (name, width, colorScheme) => {
    const { page } = await openShop();
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.getByRole('listitem').nth(9).waitFor();
    await keepScreenshot(page, `shop (${name}, ${colorScheme})`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});
