import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { closeAtEnd } from '../support/close-at-end.js';
import { startService, type TestService } from '../support/service.js';
import { accessibilityFaults, type Chromium, keepScreenshot, overflowOf, startChromium } from './chromium.js';
import { authorise, formOf, NARROW, openDocs, send, shownHeader, WIDE } from './docs-page.js';

/** Beyond 2^53, where JSON.parse would round. */
const BIG_ID = '9007199254740993';

const SCREENS = [
  ['wide, light', WIDE, 'light'],
  ['wide, dark', WIDE, 'dark'],
  ['narrow, light', NARROW, 'light'],
  ['narrow, dark', NARROW, 'dark'],
] as const;

let service: TestService;
let chromium: Chromium;
let key: string;

/** The clock of the service stands still during a test, so that a limit that is used up stays so. */
let nowMs = Date.now();
// Public documents have a limit a minute.
beforeEach(() => {
  nowMs += 60_000;
});

beforeAll(async () => {
  service = await closeAtEnd(
    startService({
      clock: { nowMs: () => nowMs },
      environment: { ADDRESS_LIMIT_PER_MINUTE: '10000' },
    }),
  );
  ({ key } = await service.issueKey());
  await service.pool.query(`
    insert into pets (name, category_id) select 'Pet ' || n, n from generate_series(1, 30) as n`);
  await service.pool.query(`insert into pets (id, name, category_id) values (${BIG_ID}, 'Big', ${BIG_ID})`);
  chromium = await closeAtEnd(startChromium());
});

/** Opens the docs page of the service of this file. */
const open = (size = WIDE, anchor = ''): ReturnType<typeof openDocs> =>
  openDocs(chromium, service.origin, size, anchor);

/** How far a section is from where it belongs: below the bar, or as far up as the end of the page lets it come. */
const distanceTo = async (page: Page, anchor: string): Promise<number> =>
  await page.evaluate<number>(`(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const { top } = document.querySelector('${anchor}').getBoundingClientRect();
    const wanted = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
    const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
    return isEnd && top > wanted ? 0 : Math.round(Math.abs(top - wanted) / 2);
  })()`);

describe('the docs page in Chromium', () => {
  it('rejects an invalid key, accepts a valid one, and forgets it again', async () => {
    const { page, expectNoFaults } = await open();
    await authorise(page, 'psk_guessed');
    expect(await page.getByRole('alert').innerText()).toMatch(/38 letters and digits/);
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Key ${key.slice(0, 8)}…` }).click();
    await page.getByRole('button', { name: 'Remove the key' }).click();
    expect(await send(formOf(page, 'List pets'))).toContain('401');
    await page.getByRole('alert').getByText('This request needs an API key.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expectNoFaults();
  });

  it('lists, shows the limits and every digit, and goes on to the next page', async () => {
    const { page, expectNoFaults } = await open();
    await authorise(page, key);
    const form = formOf(page, 'List pets');
    await form.getByLabel('limit').fill('30');
    expect(await send(form)).toContain('200');
    expect(await shownHeader(form, 'x-ratelimit-limit')).toBe('1000000');
    await keepScreenshot(page, 'list-wide');
    await form.getByRole('button', { name: 'Next page' }).click();
    await form.getByText(BIG_ID).first().waitFor();
    expect(await form.getByLabel('Response body').innerText()).toContain(`"id": ${BIG_ID},`);
    expect(await form.getByRole('button', { name: 'Next page' }).count()).toBe(0);
    expect(await page.getByLabel('Your rate limits').innerText()).toMatch(/\d+ of 1000000 this minute/);
    expectNoFaults();
  });

  it('creates what the form holds, to the digit, and says the same as a curl line', async () => {
    const { page, expectNoFaults } = await open();
    await authorise(page, key);
    const form = formOf(page, 'Add a pet');
    await form.getByRole('button', { name: 'Generate' }).click();
    await form.getByLabel('Body', { exact: true }).fill(`{"name":"Rex","categoryId":${BIG_ID}}`);
    const claim = await form.getByLabel('Idempotency-Key').inputValue();
    expect(await form.locator('.snippet').innerText()).toContain(`-H 'Idempotency-Key: ${claim}'`);
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
    const { page, expectNoFaults } = await open(size);
    const { key: tight } = await service.issueKey({ perMinute: 2 });
    await authorise(page, tight);
    const form = formOf(page, 'Get the inventory');
    expect(await send(form)).toContain('200');
    expect(await send(form)).toContain('200');
    expect(await send(form)).toContain('429');
    const seconds = await shownHeader(form, 'retry-after');
    expect(await form.locator('.response').innerText()).toContain(`Wait ${seconds} s`);
    expect(await form.getByText('x-ratelimit-remaining').isVisible()).toBe(false);
    await form.getByText('Rate-limit headers').click();
    expect(await form.getByText('x-ratelimit-remaining').isVisible()).toBe(true);
    expect(await shownHeader(form, 'x-ratelimit-remaining')).toBe('0');
    expect(await page.getByLabel('Your rate limits').innerText()).toContain('0 of 2 this minute');
    await keepScreenshot(page, `rejected-${name}`);
    expectNoFaults();
  });

  it('works with the keyboard alone', async () => {
    const { page } = await open();
    const focused = (): Promise<unknown> =>
      page.evaluate('document.activeElement.id || document.activeElement.className');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('skip');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('scheme-button');
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
      const { page, expectNoFaults } = await open(NARROW);
      await page.emulateMedia({ colorScheme });
      await keepScreenshot(page, `start-narrow-${colorScheme}`);
      expect(await overflowOf(page)).toBe(0);
      await page.getByRole('button', { name: 'Contents' }).click();
      await page.getByRole('link', { name: 'Place an order' }).click();
      expect(await page.getByRole('navigation').isVisible()).toBe(false);
      expect(await page.evaluate('location.hash')).toBe('#placeOrder');
      expect(await overflowOf(page)).toBe(0);
      expectNoFaults();
    },
  );

  it.each(['#deprecation', '#getPet', '#errors'])('leads to %s, also from outside', async (anchor) => {
    const { page } = await open(WIDE, anchor);
    const { y: top } = (await page.locator(anchor).boundingBox()) ?? { y: -1 };
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(WIDE.height);
  });

  it('lists the plans with their limits', async () => {
    const { page } = await open();
    const { rows } = await service.pool.query<{ id: string; perMinute: number | null }>(
      'select id, requests_per_minute as "perMinute" from plans order by requests_per_minute nulls last, id',
    );
    const cells = await page.locator('#plan-table tbody td:nth-child(-n+2)').allInnerTexts();
    expect(cells).toEqual(
      rows.flatMap(({ id, perMinute }) => [id, perMinute?.toLocaleString('en') ?? 'set for each key']),
    );
  });

  it.each([
    [WIDE, 'light'],
    [WIDE, 'dark'],
    [NARROW, 'light'],
    [NARROW, 'dark'],
  ] as const)('paints the limits per month of plans, at %j in %s', async (size, colorScheme) => {
    const { page } = await open(size);
    await page.emulateMedia({ colorScheme });
    await page.route('**/openapi.json', async (route) => {
      const response = await route.fetch();
      const document = (await response.json()) as { 'x-plans': object[] };
      const plans = document['x-plans'].map((plan, nth) =>
        Object.assign(plan, { requestsPerMonth: nth === 1 ? 200_000 : null }),
      );
      await route.fulfill({ response, json: { ...document, 'x-plans': plans } });
    });
    await page.reload();
    const table = page.locator('#plan-table table');
    await table.scrollIntoViewIfNeeded();
    expect(await table.locator('th').allInnerTexts()).toEqual([
      ...['Plan', 'Requests per minute', 'Requests per day', 'Requests per month'],
    ]);
    const months = await table.locator('td:nth-child(4)').allInnerTexts();
    expect(months).toEqual(['none', '200,000', 'none', 'set for each key']);
    // A row is a line: the cells of a plan begin beside each other, and below their headings.
    const cells = table.locator('thead th, tbody tr:nth-child(2) td');
    const lefts = await cells.evaluateAll((all) =>
      all.map((cell) => Math.round(cell.getBoundingClientRect().left)),
    );
    expect(lefts.slice(4)).toEqual(lefts.slice(0, 4));
    expect(new Set(lefts).size).toBe(4);
    // Contrast, too.
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await keepScreenshot(page, `docs-plans-${size.width}-${colorScheme}`);
  });

  it('lists every error code of the document', async () => {
    const { page } = await open();
    const document = (await (await service.fetch('/openapi.json')).json()) as {
      components: { schemas: { Error: { properties: { code: { enum: string[] } } } } };
    };
    const codes = await page.locator('#error-table tbody td:nth-child(2)').allInnerTexts();
    expect(codes.sort()).toEqual(document.components.schemas.Error.properties.code.enum.sort());
  });

  it('filters its contents, from the keyboard', async () => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('order get');
    const links = page.getByRole('navigation').getByRole('link');
    const found = async (): Promise<string> => (await links.filter({ visible: true }).allInnerTexts()).join();
    expect(await found()).toMatch(/List orders.+Get an order/s);
    expect(await found()).not.toContain('inventory');
    await keepScreenshot(page, 'filtered');
    await page.keyboard.type(' unfindable');
    expect(await links.filter({ visible: true }).count()).toBe(0);
    await page.getByText('No section matches.').waitFor();
    await page.getByLabel('Search the guide and reference').fill('');
    expect(await links.filter({ visible: true }).count()).toBe(await links.count());
  });

  it.each([
    ['429', 'limits-and-retries'],
    ['retry', 'limits-and-retries'],
    ['cursor', 'paging'],
    ['etag', 'errors'],
    ['304', 'caching'],
    ['lossless', 'integers'],
    ['getinv', 'getInventory'],
    ['ifmatch', 'typed-client'],
    ['bigint', 'typed-client'],
    ['TanStack', 'typed-client'],
    // Also in the text of sections before it.
    ['getpet', 'getPet'],
  ])('finds %s in the text of sections, and goes there by Enter', async (words, section) => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type(words);
    await page.getByRole('navigation').locator('a[href="#deprecation"]').waitFor({ state: 'hidden' });
    expect(await page.getByRole('navigation').locator(`a[href="#${section}"]`).isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('location.hash')).toBe(`#${section}`);
  });

  it('marks what was found, and scrolls to it', async () => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('lossless');
    const marked = `[...(CSS.highlights.get('found') ?? [])].map((range) => String(range))`;
    expect(await page.evaluate(marked)).toEqual(['lossless']);
    await page.keyboard.press('Enter');
    const tops = `[...CSS.highlights.get('found')].map((range) => range.getBoundingClientRect().top)`;
    const [top = -1] = await page.evaluate<number[]>(tops);
    expect(top).toBeGreaterThan(50);
    expect(top).toBeLessThan(WIDE.height);
    await page.getByLabel('Search the guide and reference').fill('');
    expect(await page.evaluate(marked)).toEqual([]);
  });

  it('has sample, form and response beside an operation, coloured samples, and an opaque bar', async () => {
    const { page } = await open(WIDE, '#listPets');
    const boxes = await page.evaluate<readonly (readonly number[])[]>(
      `['#listPets .about', '#listPets .snippet', '#listPets .try'].map((one) => {
        const { left, right, top } = document.querySelector(one).getBoundingClientRect();
        return [left, right, top].map(Math.round);
      })`,
    );
    const [[, aboutRight = 0, aboutTop] = [], [sampleLeft = 0, , sampleTop] = [], [, , formTop = 0] = []] =
      boxes;
    expect(sampleLeft).toBeGreaterThan(aboutRight);
    expect(sampleTop).toBe(aboutTop);
    expect(formTop).toBeGreaterThan(sampleTop ?? 0);
    const colours = await page.evaluate<readonly string[]>(
      `['pre code', '.code-text', '.code-word', '.code-flag'].map((one) => getComputedStyle(document.querySelector('#listPets .snippet ' + one)).color)`,
    );
    expect(new Set(colours).size).toBe(4);
    // An address is no part of the strings beside it.
    const strings = await page.locator('.prose pre .code-text').allInnerTexts();
    expect(strings).toContain("'psk_…'");
    expect(strings.filter((text) => /^['"], |: ['"]$/.test(text))).toEqual([]);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.bar')).backgroundColor`)).toMatch(
      /^rgb\(/,
    );
    const sort = formOf(page, 'List pets').getByLabel('sort');
    expect(await sort.locator('option').allInnerTexts()).toEqual(['id', '-id']);
  });

  it('leads on a phone to the form of what is read, until it is in view', async () => {
    const { page } = await open(NARROW, '#listOrders');
    const jump = page.getByRole('link', { name: 'Try it ↓' });
    await jump.waitFor();
    expect(await jump.getAttribute('href')).toBe('#try-listOrders');
    await jump.click();
    await jump.waitFor({ state: 'hidden' });
    const { y: top } = (await formOf(page, 'List orders').boundingBox()) ?? { y: -1 };
    expect(top).toBeGreaterThan(0);
    expect(top).toBeLessThan(NARROW.height);
  });

  it('shows an example before the first request, then the body first, without its own scroller', async () => {
    const { page } = await open();
    const form = formOf(page, 'List pets');
    expect(await form.locator('.response').innerText()).toMatch(/^Example response 200/);
    await authorise(page, key);
    await send(form);
    expect(await form.locator('.response').innerText()).toMatch(/^Response body\n/);
    await form.getByRole('button', { name: /^Show all \d+ lines$/ }).click();
    const scrollers = `[...document.querySelectorAll('main *')].filter((one) => one.scrollHeight > one.clientHeight &&
      ['auto', 'scroll'].includes(getComputedStyle(one).overflowY)).length`;
    expect(await page.evaluate(scrollers)).toBe(0);
    expect(await form.getByText('"Pet 20"').isVisible()).toBe(true);
  });

  it('has check boxes for a filter of known words, and sends by Ctrl+Enter', async () => {
    const { page } = await open();
    await authorise(page, key);
    const form = formOf(page, 'List pets');
    await form.getByRole('checkbox', { name: 'available' }).check();
    await form.getByRole('checkbox', { name: 'sold' }).check();
    expect(await form.locator('.snippet').innerText()).toContain('?status=available&status=sold');
    await form.getByLabel('id', { exact: true }).fill('30');
    await form.getByLabel('limit').press('Control+Enter');
    await form.getByRole('status').locator('.status').waitFor();
    expect(await form.getByLabel('Response body').innerText()).toBe('[]');
  });

  it('asks before it deletes', async () => {
    const { page } = await open();
    await authorise(page, key);
    page.removeAllListeners('dialog');
    const questions: string[] = [];
    page.once('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    const form = formOf(page, 'Delete a pet');
    await form.getByLabel('petId').fill('30');
    await form.getByRole('button', { name: 'Send DELETE' }).click();
    expect(questions).toEqual(['DELETE /pets/30 cannot be undone. Send it?']);
    expect((await service.fetch('/v1/pets?id=30', { key })).headers.get('etag')).not.toBeNull();
    expect(await (await service.fetch('/v1/pets?id=30', { key })).json()).toHaveLength(1);
  });

  it('keeps the chosen language', async () => {
    const { page } = await open();
    const tab = formOf(page, 'Get the inventory').getByRole('button', { name: 'Python' });
    await tab.click();
    await page.reload();
    await page.locator('#reference:not([aria-busy])').waitFor();
    expect(await tab.getAttribute('aria-pressed')).toBe('true');
    expect(await formOf(page, 'List pets').locator('.snippet').innerText()).toContain('import requests');
  });

  it('leads to an error code, with what to do', async () => {
    const { page } = await open(WIDE, '#error-pet_not_found');
    const row = page.locator('tr:has(:target)');
    expect(await row.innerText()).toContain('Check the id: the pet may have been deleted.');
    const { y: top } = (await row.boundingBox()) ?? { y: -1 };
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(WIDE.height);
  });

  it('explains a rejected key, and asks for another one', async () => {
    const { page } = await open();
    const { id, key: revoked } = await service.issueKey();
    await service.pool.query('select revoke_api_key($1)', [id]);
    await authorise(page, revoked);
    await send(formOf(page, 'List pets'));
    await page.getByRole('alert').getByText('The API key has been revoked.').waitFor();
    await keepScreenshot(page, 'revoked');
  });

  it('has snippets to copy, links on headings, and its version', async () => {
    const { page } = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#start').getByRole('button', { name: 'Copy' }).first().click();
    await page.locator('#start').getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `export PETSTORE_KEY=psk_…\ncurl -i -w '\\n' -H "Authorization: Bearer $PETSTORE_KEY" '${service.origin}/v1/pets?limit=3'`,
    );
    await page.locator('#paging > h2').hover();
    await page.locator('#paging > h2 > a').click();
    expect(await page.evaluate('location.hash')).toBe('#paging');
    await page.locator('.bar .version', { hasText: /^\d+\.\d+\.\d+$/ }).waitFor();
  });

  it.each([
    ['at once', 0],
    ['after the page has loaded', 1],
  ])('leads to each anchor where the document comes %s', async (_, isLate) => {
    const { page: first } = await open();
    const anchors = await first.evaluate<readonly string[]>(
      `[...document.querySelectorAll('#contents a[href^="#"], #error-table a')].map((link) => link.getAttribute('href'))`,
    );
    expect(anchors.length).toBeGreaterThan(40);
    await first.close();
    for (const anchor of anchors) {
      const { page } = await chromium.open();
      // With the smooth scrolling that most readers have.
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      if (isLate)
        await page.route('**/openapi.json', async (route) => {
          await page.waitForLoadState('load');
          await route.continue();
        });
      await page.goto(`${service.origin}/docs${anchor}`);
      await page.locator('#reference:not([aria-busy])').waitFor();
      expect([anchor, await distanceTo(page, anchor)]).toEqual([anchor, 0]);
      await page.close();
    }
  });

  it('has a link to a request with its values', async () => {
    const { page } = await open();
    const form = formOf(page, 'List pets');
    const link = form.getByRole('link', { name: 'Link to this request' });
    expect(await link.getAttribute('href')).toBe('docs#listPets');
    await form.getByLabel('limit').fill('5');
    await form.getByLabel('pending').check();
    await form.getByLabel('sold').check();
    const added = formOf(page, 'Add a pet');
    await added.getByLabel('Body', { exact: true }).fill('{"name":"Zoë & Co"}');
    const addresses = await Promise.all(
      [form, added].map((one) =>
        one.getByRole('link', { name: 'Link to this request' }).getAttribute('href'),
      ),
    );
    await page.goto(`${service.origin}/${addresses[0]}`);
    await page.locator('#reference:not([aria-busy])').waitFor();
    expect(await form.locator('.snippet code').innerText()).toContain('?limit=5&status=pending&status=sold');
    expect(await distanceTo(page, '#listPets')).toBe(0);
    await link.click();
    expect(page.url()).toBe(`${service.origin}/${addresses[0]}`);
    await page.goto(`${service.origin}/${addresses[1]}`);
    await page.locator('#reference:not([aria-busy])').waitFor();
    expect(await added.getByLabel('Body', { exact: true }).inputValue()).toBe('{"name":"Zoë & Co"}');
    // Values of a form are of no other one.
    expect(await form.getByLabel('limit').inputValue()).toBe('');
  });

  it('is light or dark as its reader chooses, also the next time', async () => {
    const { page } = await open();
    await page.emulateMedia({ colorScheme: 'light' });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const button = page.getByRole('button', { name: 'Colours' });
    const light = await background();
    expect(await button.innerText()).toContain('automatic');
    await button.click();
    expect([await button.innerText(), await background()]).toEqual([expect.stringContaining('light'), light]);
    await button.click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect([await button.innerText(), await background()]).toEqual([expect.stringContaining('dark'), dark]);
    await button.click();
    expect([await button.innerText(), await background()]).toEqual([
      expect.stringContaining('automatic'),
      light,
    ]);
  });

  it.each([WIDE, NARROW])('has nothing dead without JavaScript, at $width pixels', async (size) => {
    const page = await chromium.openWithoutScripts(size);
    await page.goto(`${service.origin}/docs`);
    for (const control of ['button', 'input', '[aria-busy] > p'])
      expect([control, await page.locator(control).locator('visible=true').count()]).toEqual([control, 0]);
    expect(await page.locator('#plan-table p').innerText()).toContain('The table of plans needs JavaScript');
    const links = page.locator('#contents a').locator('visible=true');
    const targets = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(targets.length).toBeGreaterThan(10);
    for (const target of targets.filter((one) => one?.startsWith('#') === true))
      expect(await page.locator(target ?? '').count()).toBe(1);
    await keepScreenshot(page, `docs-without-scripts-${size.width}`);
  });

  it('expands collapsed parts for printing, then collapses them', async () => {
    const { page } = await open();
    const opened = () => page.locator('details[open]').count();
    const before = await opened();
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await opened()).toBe(await page.locator('details').count());
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    expect(await opened()).toBe(before);
  });

  it('prints the guide and the reference, without forms', async () => {
    const { page } = await open();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText('To try operations on this page').isVisible()).toBe(false);
    expect(await page.locator('#listPets .about').isVisible()).toBe(true);
    for (const hidden of ['.bar', '.contents', '.try', '.copy'])
      expect(await page.locator(hidden).first().isVisible()).toBe(false);
    await keepScreenshot(page, 'print');
  });

  it.each([
    ['scripts', '**/*.js'],
    ['the document', '**/openapi.json'],
  ])('has complete snippets without %s', async (_, blocked) => {
    const { page } = await chromium.open();
    await page.route(blocked, (route) => route.abort());
    await page.goto(`${service.origin}/docs`);
    if (blocked.endsWith('json')) await page.getByText('The reference could not be loaded').waitFor();
    expect(await page.locator('#start pre').first().innerText()).toMatch(
      /'http:\/\/(localhost|127\.0\.0\.1):\d+\/v1\/pets\?limit=3'$/,
    );
  });

  it('forgets the key with the page, or keeps it for the tab if its owner chooses so', async () => {
    const { page, expectNoFaults } = await open();
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
    const { page } = await open();
    await authorise(page, key);
    const form = formOf(page, 'List pets');
    await form.getByLabel('id', { exact: true }).fill('3, 1 2,99');
    await form.getByLabel('limit').fill('2');
    await send(form);
    const body = form.getByLabel('Response body');
    expect(JSON.parse(await body.innerText())).toMatchObject([{ id: 1 }, { id: 2 }]);
    await form.getByRole('button', { name: 'Next page' }).click();
    await body.getByText('"Pet 3"').waitFor();
    expect(JSON.parse(await body.innerText())).toMatchObject([{ id: 3 }]);
  });

  it('collects the errors that every operation has', async () => {
    const { page } = await open(WIDE, '#getUsage');
    const usage = page.locator('#getUsage');
    await usage.getByText('Errors of every operation').click();
    await keepScreenshot(page, 'common-errors');
    const common = await usage.locator('.common').locator('p').allInnerTexts();
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

describe.each(SCREENS)('accessibility (%s)', (name, size, colorScheme) => {
  it('has no violation in any state', async () => {
    const { page } = await open(size);
    await page.emulateMedia({ colorScheme });
    const expectAccessible = async (state: string): Promise<void> => {
      await keepScreenshot(page, `${state} (${name})`);
      expect({ state, found: await accessibilityFaults(page) }).toEqual({ state, found: [] });
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
    await form.getByRole('button', { name: 'Python' }).click();
    await form.getByRole('group', { name: 'Language' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, `response (${name})`);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    await page.locator('#deletePet').scrollIntoViewIfNeeded();
    await keepScreenshot(page, `all-open (${name})`);
    await page.keyboard.press('/');
    await page.keyboard.type('pet');
    await expectAccessible('filter');
  });
});
