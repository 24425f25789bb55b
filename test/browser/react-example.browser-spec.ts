import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { prepareFirstStart } from '../../src/lifecycle/first-start.js';
import { closeAtEnd } from '../support/close-at-end.js';
import { startService, type TestService } from '../support/service.js';
import { accessibilityFaults, type Chromium, keepScreenshot, overflowOf, startChromium } from './chromium.js';
import { serveReactShop, type ShopPage } from './shop-page.js';

let service: TestService;
let shop: ShopPage;
let chromium: Chromium;
let key: string;

beforeAll(async () => {
  const nowMs = Date.now();
  // Its clock stands still, so that a limit that is used up stays so.
  [service, shop] = await Promise.all([
    closeAtEnd(startService({ clock: { nowMs: () => nowMs } })),
    closeAtEnd(serveReactShop()),
  ]);
  await prepareFirstStart(service.databaseUrl, (first) => (key = first?.apiKey ?? ''));
  chromium = await closeAtEnd(startChromium());
});

async function openShop(withKey = key): Promise<{ page: Page; faults: readonly string[] }> {
  const { page, faults } = await chromium.open();
  await page.goto(shop.origin);
  await page.getByLabel('Service').fill(`${service.origin}/v1`);
  await page.getByLabel('API key').fill(withKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  return { page, faults };
}

describe('the example in React', () => {
  it('reads pets page by page with the names of their categories, and shows the limit', async () => {
    const { page, faults } = await openShop();
    const pets = page.locator('#pets li');
    await pets.nth(9).waitFor();
    await pets
      .getByText(/number \d+, Dogs$/)
      .first()
      .waitFor();
    expect(await pets.count()).toBe(10);
    await page.getByRole('button', { name: 'More pets' }).click();
    await pets.nth(19).waitFor();
    await page.locator('main section').getByLabel('Status').selectOption('sold');
    await page.locator('.state.sold').nth(9).waitFor();
    expect(await page.locator('#limit').innerText()).toMatch(/^29\d of 300 requests remaining$/);
    expect(faults).toEqual([]);
  });

  it('shows what is wrong with a field next to it, and adds the pet once it is right', async () => {
    const { page } = await openShop();
    const form = page.locator('.side form');
    await form.getByLabel('Name').fill('Rex');
    await form.getByLabel('Category').fill('99999999999999999999');
    await form.getByRole('button').click();
    await form.getByText('categoryId must be a 64-bit integer.').waitFor();
    expect(await form.getByLabel('Category').getAttribute('aria-invalid')).toBe('true');
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, 'react-field');
    await form.getByLabel('Category').fill('9007199254740993');
    await form.getByRole('button').click();
    await page.getByText(/^Rex has the number \d+\.$/).waitFor();
    await page.locator('#pets').getByText('category 9007199254740993').waitFor();
  });

  it('shows a change at once, and takes it back if somebody else was first', async () => {
    const { page, faults } = await openShop();
    const first = page.locator('#pets li').first();
    const id = /number (\d+)/.exec(await first.innerText())?.[1] ?? '';
    await first.getByRole('button').click();
    const editor = page.getByRole('dialog', { name: 'Edit a pet' });
    await editor.getByLabel('Name').fill('Mine');
    await service.pool.query(`update pets set name = 'Theirs' where id = $1`, [id]);
    let isHeld = true;
    const held: (() => void)[] = [];
    await page.route(`**/v1/pets/${id}`, async (route) => {
      if (isHeld && route.request().method() === 'PATCH')
        await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await editor.getByRole('button', { name: 'Save' }).click();
    await first.getByText('Mine').waitFor();
    isHeld = false;
    for (const release of held) release();
    await page.getByText('Somebody else has changed this pet. This is how it is now.').waitFor();
    await first.getByText('Theirs').waitFor();
    await keepScreenshot(page, 'react-conflict');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(await editor.getByLabel('Name').inputValue()).toBe('Theirs');
    await editor.getByLabel('Name').fill('Mine after all');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    await first.getByText('Mine after all').waitFor();
    const { rows } = await service.pool.query('select name from pets where id = $1', [id]);
    expect(rows).toEqual([{ name: 'Mine after all' }]);
    expect(faults).toEqual([]);
  });

  it('says that no requests are left, and when it goes on', async () => {
    const { key: tight } = await service.issueKey({ perMinute: 1 });
    const { page } = await openShop(tight);
    await page.getByText(/^No requests are left\. Trying again at \d+:\d\d:\d\d [AP]M\.$/).waitFor();
    expect(await page.locator('#limit').innerText()).toBe('0 of 1 requests remaining');
  });

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('is accessible and fits (%d pixels, %s)', async (width, colorScheme) => {
    const { page } = await openShop();
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.locator('#pets li').first().waitFor();
    await keepScreenshot(page, `react (${width}, ${colorScheme})`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});
