import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { prepareFirstStart } from '../../src/lifecycle/first-start.js';
import { type InstalledClient, installClient } from '../client/installed-client.js';
import { closeAtEnd } from '../support/close-at-end.js';
import { startService, type TestService } from '../support/service.js';
import { createTcpProxy } from '../support/tcp-proxy.js';
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
  [service, client] = await Promise.all([
    closeAtEnd(startService({ clock: { nowMs: () => nowMs } })),
    closeAtEnd(installClient()),
  ]);
  await prepareFirstStart(service.databaseUrl, (first) => (key = first?.apiKey ?? ''));
  shop = await closeAtEnd(serveShop(client.packageFolder));
  chromium = await closeAtEnd(startChromium());
});

async function openShop(withKey = key, at = service): Promise<{ page: Page; faults: readonly string[] }> {
  const { page, faults } = await chromium.open();
  await page.goto(shop.origin);
  await page.getByLabel('Service').fill(`${at.origin}/v1`);
  await page.getByLabel('API key').fill(withKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  return { page, faults };
}

const focusedLabel = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.ariaLabel');

const focusedName = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.name');

const statusOf = async (id: number): Promise<string | undefined> => {
  const { rows } = await service.pool.query<{ status: string }>('select status from pets where id = $1', [
    id,
  ]);
  return rows[0]?.status;
};

describe('the shop of the examples, on the packed client', () => {
  it('lists and filters pets, adds one and orders it, and shows the rate limit', async () => {
    const { page, faults } = await openShop();
    const pets = page.locator('#pets li');
    await pets.nth(9).waitFor();
    const limit = page.locator('#limit');
    expect(await limit.innerText()).toMatch(/^29\d of 300 requests remaining until /);
    await pets
      .getByText(/^number \d+, Dogs$/)
      .first()
      .waitFor();
    await page.getByText(/^\d+ available, \d+ pending, \d+ sold$/).waitFor();
    await page.getByRole('button', { name: 'More pets' }).click();
    await pets.nth(19).waitFor();

    await page.getByRole('checkbox', { name: 'available' }).uncheck();
    await page.getByRole('checkbox', { name: 'sold' }).check();
    await page.locator('.state.sold').nth(9).waitFor();
    expect(await pets.count()).toBe(10);
    await page.getByRole('checkbox', { name: 'sold' }).uncheck();
    await page.getByRole('checkbox', { name: 'available' }).check();

    const form = page.locator('#create');
    await form.getByLabel('Name').fill('Rex');
    await form.getByLabel('Category').fill('9007199254740993');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Rex has the number 301.').waitFor();
    await page.getByText('number 301, category 9007199254740993').waitFor();

    await page.getByRole('button', { name: 'Order Rex' }).click();
    await page.getByText(/^Rex is yours: order \d+\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Order Rex' }).isVisible()).toBe(false);
    expect(await focusedLabel(page)).toBe('Edit Rex');
    expect(await statusOf(301)).toBe('pending');

    const order = page.locator('#orders li').first();
    expect(await order.innerText()).toMatch(/pet 301/);
    await order.getByRole('button').click();
    await page.getByText(/^Order \d+ is cancelled\.$/).waitFor();
    expect(await order.innerText()).toMatch(/cancelled/);
    await page.getByRole('button', { name: 'Order Rex' }).waitFor();
    expect(await statusOf(301)).toBe('available');
    expect(faults).toEqual([]);
  });

  it('shows what is wrong with a field next to it, and focuses it', async () => {
    const { page } = await openShop();
    const form = page.locator('#create');
    await form.getByLabel('Name').fill('Rex');
    await form.getByLabel('Category').fill('99999999999999999999');
    await form.getByRole('button').click();
    const category = form.getByLabel('Category');
    await form.getByText('categoryId must be a 64-bit integer.').waitFor();
    expect(await category.getAttribute('aria-invalid')).toBe('true');
    expect(await focusedName(page)).toBe('categoryId');
    await keepScreenshot(page, 'shop-field');
    expect(await accessibilityFaults(page)).toEqual([]);
    await category.fill('7');
    await category.press('Enter');
    await page.getByText(/^Rex has the number \d+\.$/).waitFor();
    expect(await form.locator('[aria-invalid]').count()).toBe(0);
    expect(await focusedName(page)).toBe('name');
  });

  it.each([
    ['Save mine', 'Felix', 'Felix'],
    ['Take theirs', 'Tom', 'Theirs'],
  ])('shows both versions of a pet that somebody else has changed: %s', async (choice, mine, name) => {
    const { page, faults } = await openShop();
    const pet = page.locator('#pets li').first();
    const id = /number (\d+)/.exec(await pet.innerText())?.[1] ?? '';
    await pet.getByRole('button', { name: /^Edit/ }).click();
    const editor = page.getByRole('dialog', { name: 'Edit a pet' });
    await editor.getByLabel('Name').fill(mine);
    await service.pool.query(`update pets set name = 'Theirs', category_id = category_id + 1 where id = $1`, [
      id,
    ]);
    await editor.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this pet' });
    await conflict.getByRole('row', { name: `Name ${mine} Theirs` }).waitFor();
    await keepScreenshot(page, 'shop-conflict');
    expect(await accessibilityFaults(page)).toEqual([]);
    await conflict.getByRole('button', { name: choice }).click();
    if (choice === 'Take theirs') {
      // The dialog's close event comes in a later task.
      await page.waitForFunction(`document.querySelector('#edit [name=name]').value === 'Theirs'`);
      await editor.getByRole('button', { name: 'Save' }).click();
    }
    await page.getByText(`${name} is saved.`).waitFor();
    expect(await pet.innerText()).toContain(name);
    expect(await focusedLabel(page)).toBe(`Edit ${name}`);
    const { rows } = await service.pool.query('select name from pets where id = $1', [id]);
    expect(rows).toEqual([{ name }]);
    expect(faults).toEqual([]);
  });

  it('says in one of two browsers that the other ordered the pet first', async () => {
    const [mine, theirs] = [await openShop(), await openShop()];
    const pet = mine.page
      .locator('#pets li', { has: mine.page.getByRole('button', { name: /^Order/ }) })
      .first();
    const id = /number (\d+)/.exec(await pet.innerText())?.[1] ?? '';
    const order = (page: Page): Promise<void> =>
      page
        .locator('#pets li', { hasText: `number ${id},` })
        .getByRole('button', { name: /^Order/ })
        .click();
    await theirs.page.locator('#pets li', { hasText: `number ${id},` }).waitFor();
    await order(mine.page);
    await mine.page
      .locator('#pets li', { hasText: `number ${id},` })
      .getByText('pending')
      .waitFor();
    await order(theirs.page);
    await theirs.page.getByText('The pet is not available.').waitFor();
    await keepScreenshot(theirs.page, 'shop-second');
    expect(await statusOf(Number(id))).toBe('pending');
    expect([...mine.faults, ...theirs.faults]).toEqual([]);
  });

  it('flags an invalid number, without sending it', async () => {
    const { page, faults } = await openShop();
    const form = page.locator('#create');
    await form.getByLabel('Name').fill('Rex');
    await form.getByLabel('Category').fill('007');
    await form.getByLabel('Category').press('Enter');
    await page.getByText('categoryId must be an integer, as a string, a bigint or a number.').waitFor();
    expect(await focusedName(page)).toBe('categoryId');
    expect(faults).toEqual([]);
  });

  it.each(['offline', 'without a database'])('goes on by itself after it was %s', async (what) => {
    const proxy = await closeAtEnd(createTcpProxy(service.databaseUrl));
    const behind = await closeAtEnd(startService({ databaseUrl: proxy.url, provokes503: true }));
    const { page } = await openShop(key, behind);
    await page.locator('#pets li').nth(9).waitFor();
    const away = async (isAway: boolean): Promise<void> => {
      if (what === 'offline') await page.context().setOffline(isAway);
      else await proxy.mode(isAway ? 'close' : 'pass');
    };
    await away(true);
    await page.getByRole('checkbox', { name: 'sold' }).check();
    const why =
      what === 'offline' ? 'There was no complete response' : 'The service is temporarily unavailable';
    await page
      .getByRole('timer')
      .getByText(new RegExp(`^${why}.* Trying again in \\d+ s\\.$`))
      .waitFor();
    expect(await page.locator('#limit').innerText()).toMatch(/ of 300 requests remaining/);
    await keepScreenshot(page, `shop-${what.replaceAll(' ', '-')}`);
    await away(false);
    await page.locator('#pets li').first().waitFor();
    expect(await page.getByRole('timer').innerText()).toBe('');
  });

  it('says what is wrong with the key, and when it tries again', async () => {
    const { page } = await openShop('psk_guessed');
    await page.getByText('The API key is not valid.').waitFor();
    const { key: tight } = await service.issueKey({ perMinute: 1 });
    await page.getByLabel('API key').fill(tight);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('listitem').first().waitFor();
    const wait = page.getByRole('timer');
    await wait.getByText(/^No requests are left\. Trying again in \d+ s\.$/).waitFor();
    const seconds = async (): Promise<number> => Number(/(\d+) s/.exec(await wait.innerText())?.[1]);
    const first = await seconds();
    while ((await seconds()) >= first) await page.waitForFunction('true', undefined, { polling: 100 });
    await keepScreenshot(page, 'shop-wait');
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
    await page.locator('#orders li').first().waitFor();
    await keepScreenshot(page, `shop (${name}, ${colorScheme})`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });
});
