import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { prepareFirstStart } from '../../src/samples/first-start.js';
import { type InstalledClient, installClient } from '../client/installed-client.js';
import { startService, type TestService } from '../support/service.js';
import { type Chromium, startChromium } from './chromium.js';

/** Beyond 2^53, where JSON.parse would round. */
const BIG_ID = '9007199254740993';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 800 };
const SCREENS = [
  ['wide, light', WIDE, 'light'],
  ['wide, dark', WIDE, 'dark'],
  ['narrow, light', NARROW, 'light'],
  ['narrow, dark', NARROW, 'dark'],
] as const;

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

async function openDocs(
  size: { readonly width: number; readonly height: number } = WIDE,
  anchor = '',
  at = service,
): Promise<{ page: Page; expectNoFaults: () => void }> {
  const { page, faults, hosts } = await chromium.open();
  await page.setViewportSize(size);
  // Then the page jumps to its anchors at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`${at.origin}/docs${anchor}`);
  await page.locator('#reference:not([aria-busy])').waitFor();
  const expectNoFaults = (): void => {
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(at.origin).host]);
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
    expect(await form.locator('.sample').innerText()).toContain(`-H 'Idempotency-Key: ${claim}'`);
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

  it('filters its contents, from the keyboard', async () => {
    const { page } = await openDocs();
    await page.keyboard.press('/');
    await page.keyboard.type('order get');
    const links = page.getByRole('navigation').getByRole('link');
    expect(await links.filter({ visible: true }).allInnerTexts()).toEqual([
      expect.stringContaining('List orders'),
      expect.stringContaining('Get an order'),
    ]);
    expect(await page.getByRole('navigation').getByRole('heading').filter({ visible: true }).count()).toBe(1);
    await keepScreenshot(page, 'filtered');
    await page.keyboard.type(' nothing');
    expect(await links.filter({ visible: true }).count()).toBe(0);
    await page.getByText('Nothing has these words.').waitFor();
    await page.getByLabel('Filter the contents').fill('');
    expect(await links.filter({ visible: true }).count()).toBe(await links.count());
  });

  it('forgets the key with the page, or keeps it for the tab if its owner chooses so', async () => {
    const { page, expectNoFaults } = await openDocs();
    const kept = page.getByRole('button', { name: `Key ${key.slice(0, 8)}…` });
    const none = page.getByRole('button', { name: 'Use an API key' });
    await authorise(page, key);
    await page.reload();
    await none.click();
    await page.getByLabel('Keep it until I close this tab').check();
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.keyboard.press('Enter');
    await page.reload();
    await kept.click();
    await page.getByRole('button', { name: 'Remove the key' }).click();
    await page.reload();
    await none.waitFor();
    expectNoFaults();
  });

  it('sends several values of a filter, on every page', async () => {
    const { page } = await openDocs();
    await authorise(page, key);
    const form = formOf(page, 'List pets');
    await form.getByLabel('id', { exact: true }).fill('3, 1 2,99');
    await form.getByLabel('limit').fill('2');
    await send(form);
    const body = form.getByLabel('Body');
    expect(JSON.parse(await body.innerText())).toMatchObject([{ id: 1 }, { id: 2 }]);
    await form.getByRole('button', { name: 'Next page' }).click();
    await body.getByText('"Pet 3"').waitFor();
    expect(JSON.parse(await body.innerText())).toMatchObject([{ id: 3 }]);
  });

  it('collects the errors that every operation has', async () => {
    const { page } = await openDocs(WIDE, '#getUsage');
    const usage = page.locator('#getUsage');
    await usage.getByText('Errors of every operation').click();
    await keepScreenshot(page, 'common-errors');
    const common = await usage.locator('details').last().locator('p').allInnerTexts();
    expect(common).toContain('429 rate_limit_exceeded api_key_banned');
    expect(common).toContain('500 internal_error');
    expect(common.join(' ')).not.toContain('not_found');
    const own = page.locator('#getOrder > .sides > .about > details > summary');
    expect(await own.filter({ hasText: '404' }).allInnerTexts()).toEqual([
      expect.stringContaining('order_not_found'),
    ]);
    expect(await own.filter({ hasText: '429' }).count()).toBe(0);
  });
});

/** The samples of a form, by language. */
async function samplesOf(form: Locator): Promise<Readonly<Record<string, string>>> {
  const samples: Record<string, string> = {};
  for (const language of await form.getByLabel('Language').locator('option').allInnerTexts()) {
    await form.getByLabel('Language').selectOption(language);
    samples[language] = await form.locator('.sample code').innerText();
  }
  return samples;
}

describe('the samples of the docs page', () => {
  let client: InstalledClient;
  beforeAll(async () => {
    client = await installClient();
  });
  afterAll(() => client.remove());

  const ODD = `It's "Rex" \\\\ 🐕`;

  it('hold the values of the form, in four languages', async () => {
    const { page } = await openDocs();
    const form = formOf(page, 'Change a pet');
    await form.getByLabel('petId').fill('7');
    await form.getByLabel('If-Match').fill('"x"');
    await form.getByLabel('Body').fill(`{ "name": "It's Rex",\n "categoryId": ${BIG_ID} }`);
    expect(await samplesOf(form)).toEqual({
      curl: `curl -i -X PATCH -H "Authorization: Bearer $KEY" \\
  -H 'If-Match: "x"' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{ "name": "It'\\''s Rex",
 "categoryId": ${BIG_ID} }' \\
  '${service.origin}/v1/pets/7'`,
      JavaScript: `const response = await fetch('${service.origin}/v1/pets/7', {
  method: 'PATCH',
  headers: {
    Authorization: \`Bearer \${process.env.KEY}\`,
    'If-Match': '"x"',
    'Content-Type': 'application/json',
  },
  body: '{"name":"It\\'s Rex","categoryId":${BIG_ID}}',
});
console.log(response.status, await response.text());`,
      'Typed client': `import { PetStore } from '@petstore/client';

const store = new PetStore({ baseUrl: '${service.origin}/v1', apiKey: process.env.KEY });
console.log(await store.changePet('7', { name: 'It\\'s Rex', categoryId: '${BIG_ID}' }, { ifMatch: '"x"' }));`,
      Python: `import os
import requests

response = requests.patch(
    '${service.origin}/v1/pets/7',
    headers={
        'Authorization': 'Bearer ' + os.environ['KEY'],
        'If-Match': '"x"',
        'Content-Type': 'application/json',
    },
    data='{"name":"It\\'s Rex","categoryId":${BIG_ID}}'.encode(),
)
print(response.status_code, response.text)`,
    });
    // Every form shows the language that was chosen last.
    const other = await formOf(page, 'Get the inventory').locator('.sample code').innerText();
    expect(other).toContain('requests.get(');
  });

  it('in JavaScript and with the client run as they are, for every operation', async () => {
    const fresh = await startService();
    let apiKey = '';
    await prepareFirstStart(fresh.databaseUrl, (first) => (apiKey = first?.apiKey ?? ''));
    const { page } = await openDocs(WIDE, '', fresh);
    await formOf(page, 'Add a pet')
      .getByLabel('Body')
      .fill(JSON.stringify({ name: ODD, categoryId: 7 }));
    const files: Record<string, string> = {};
    const forms = page.getByRole('form', { name: 'Try: ' });
    for (let index = 0; index < (await forms.count()); index += 1) {
      const samples = await samplesOf(forms.nth(index));
      files[`javascript-${index}.mjs`] = samples['JavaScript'] ?? '';
      files[`client-${index}.mjs`] = samples['Typed client'] ?? '';
    }
    const count = await forms.count();
    const statuses: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const printed = await client.node([`javascript-${index}.mjs`], files, { KEY: apiKey });
      statuses.push(printed.slice(0, 3));
    }
    expect(statuses).toEqual(['200', '201', '200', '200', '204', '200', '201', '200', '200', '200', '200']);
    // The pet is deleted, the other one ordered, and the order approved: once more with new records.
    await fresh.pool.query('truncate pets, orders restart identity cascade');
    await fresh.pool.query(
      `insert into pets (name, category_id, status) select 'Pet', 1, 'available' from generate_series(1, 3)`,
    );
    await fresh.pool.query('insert into orders (pet_id) values (3)');
    for (let index = 0; index < count; index += 1) {
      await client.node([`client-${index}.mjs`], files, { KEY: apiKey });
    }
    const { rows } = await fresh.pool.query<{ name: string }>('select name from pets where id = 4');
    expect(rows).toEqual([{ name: ODD }]);
    await fresh.close();
  });

  it('and every form succeed on a new store, from top to bottom', async () => {
    const fresh = await startService();
    let apiKey = '';
    await prepareFirstStart(fresh.databaseUrl, (first) => (apiKey = first?.apiKey ?? ''));
    const { page, expectNoFaults } = await openDocs(WIDE, '', fresh);
    await authorise(page, apiKey);
    const forms = page.getByRole('form', { name: 'Try: ' });
    for (let index = 0; index < (await forms.count()); index += 1) {
      expect(await send(forms.nth(index))).toMatch(/^20[014]/);
    }
    expectNoFaults();
    await fresh.close();
  });
});

describe.each(SCREENS)('accessibility (%s)', (name, size, colorScheme) => {
  it('has no violation in any state', async () => {
    const { page } = await openDocs(size);
    await page.emulateMedia({ colorScheme });
    const expectAccessible = async (state: string): Promise<void> => {
      await keepScreenshot(page, `${state} (${name})`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`,
      );
      expect({ state, found }).toEqual({ state, found: [] });
      expect({ state, overflow: await overflowOf(page) }).toEqual({ state, overflow: 0 });
    };
    await expectAccessible('start');
    await page.getByRole('button', { name: 'Use an API key' }).click();
    await page.getByLabel('API key', { exact: true }).fill('psk_guessed');
    await page.keyboard.press('Enter');
    await expectAccessible('key-dialog');
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.keyboard.press('Enter');
    const form = formOf(page, 'List pets');
    await send(form);
    await form.getByLabel('Language').selectOption('Python');
    await form.getByLabel('Language').scrollIntoViewIfNeeded();
    await keepScreenshot(page, `response (${name})`);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    await page.locator('#deletePet').scrollIntoViewIfNeeded();
    await keepScreenshot(page, `all-open (${name})`);
    await page.keyboard.press('/');
    await page.keyboard.type('pet');
    await expectAccessible('filter');
  });
});
