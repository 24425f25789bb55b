import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Pool } from 'pg';
import { closeAtEnd } from '../support/close-at-end.js';
import { eventually } from '../support/eventually.js';
import { type RunningService, runService } from '../support/running-service.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { openTestPool } from '../support/test-pool.js';
import { accessibilityFaults, type Chromium, keepScreenshot, overflowOf, startChromium } from './chromium.js';

const KEYS = 200_000;

let service: RunningService;
let empty: RunningService;
let proxy: TcpProxy;
let pool: Pool;
let emptyPool: Pool;
let chromium: Chromium;

beforeAll(async () => {
  [service, empty, chromium] = await Promise.all([
    closeAtEnd(
      runService({}, async (url) => {
        proxy = await closeAtEnd(createTcpProxy(url));
        return proxy.url;
      }),
    ),
    closeAtEnd(runService()),
    closeAtEnd(startChromium()),
  ]);
  pool = openTestPool(service.databaseUrl, { max: 1 });
  emptyPool = openTestPool(empty.databaseUrl, { max: 1 });
  await pool.query(
    `insert into api_keys (name, plan_id) select 'Customer ' || n, (array['free', 'pro', 'business'])[1 + n % 3] from generate_series(1, $1) as n`,
    [KEYS],
  );
  await pool.query(
    `insert into api_key_secrets (hash, api_key_id, prefix)
     select sha256(id::text::bytea), id, 'psk_' || lpad(id::text, 8, '0') from api_keys where id between 2 and 2000`,
  );
  await pool.query(
    `update api_key_counters set minute = date_trunc('minute', now(), 'UTC'), day = (now() at time zone 'UTC')::date,
       minute_admitted = api_key_id % 60, day_admitted = api_key_id % 990, day_refused = api_key_id % 7
     where api_key_id between 2 and 2000`,
  );
  // 35 days of two hundred keys, busier by day than by night.
  await pool.query(
    `insert into api_key_usage_hours
     select hour, key, operation, outcome, 1 + (share * (8 + 6 * sin((extract(hour from hour) - 9) / 24 * 2 * pi()))), 40 * share
     from generate_series(date_trunc('hour', now(), 'UTC') - interval '839 hours', date_trunc('hour', now(), 'UTC'), '1 hour') as hour
     cross join generate_series(2, 200, 1) as key
     cross join (values ('listPets', 'success', 9), ('createPet', 'success', 2), ('createPet', 'client_error', 1), ('listPets', 'limited', 1))
       as v (operation, outcome, share)
     where (key * 7 + extract(epoch from hour)::bigint / 3600) % 5 = 0`,
  );
  await pool.query(
    `insert into api_key_usage_hours select date_trunc('hour', now(), 'UTC') - interval '2 hours', 3, 'getPet', 'success', 12, 90`,
  );
  await pool.query(
    `insert into api_key_bans values (9, now() - interval '3 hours', now() - interval '2 hours', 300, 10000)`,
  );
  // One past its limit per month, which a trigger adds up.
  await pool.query(`update api_keys set requests_per_month = 1000 where id = 60`);
  await pool.query(
    `update api_key_counters set month = date_trunc('month', today())::date, month_before = 0 where api_key_id = 60`,
  );
  await pool.query(`insert into api_key_usage values (60, today(), 1200, 0)`);
  await pool.query(`select set_api_key_expiry(12, now() + interval '5 days'), suspend_api_key(13)`);
  await pool.query(
    `insert into api_key_usage_hours select this_hour() - interval '3 hours', 3, 'createPet', 'server_error', 7, 90`,
  );
  await pool.query(
    `with ban as (
       update api_key_counters set banned_at = minute, banned_until = now() + interval '50 minutes' where api_key_id = 12
       returning banned_at, banned_until)
     insert into api_key_bans select 12, banned_at, banned_until, 300, 10000 from ban`,
  );
}, 300_000);

let page: Page;
let faults: readonly string[];
let hosts: ReadonlySet<string>;
beforeEach(async () => {
  ({ page, faults, hosts } = await chromium.open());
});
// Each polls: together, they would take the browser's connections to the service.
afterEach(() => page.close());

async function open(management: string, query = ''): Promise<void> {
  await page.goto(`${management}/dashboard${query}`);
  await page.locator('#as-of, #problems p').filter({ hasText: /\w/ }).first().waitFor();
}

interface LegendEntry {
  readonly outcome: string;
  readonly requests: number;
  /** As the browser resolves it. */
  readonly colour: string;
}

/** The outcomes that were sent, as a reader sees them. */
const legendOf = (of: Page): Promise<readonly LegendEntry[]> =>
  of.evaluate(`[...document.querySelectorAll('#hours .legend button')].map((one) => ({
    outcome: one.firstChild.nextSibling.textContent.trim(),
    requests: Number((one.querySelector('strong')?.textContent ?? '').replaceAll(',', '')),
    colour: getComputedStyle(one.querySelector('.dot')).backgroundColor,
  }))`);

/** How many pixels of the chart have each colour, without those that are half of one. */
const paintedIn = (of: Page): Promise<Readonly<Record<string, number>>> =>
  of.evaluate(`(() => {
    const canvas = document.querySelector('#hours canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] !== 255) continue;
      const colour = 'rgb(' + data[i] + ', ' + data[i + 1] + ', ' + data[i + 2] + ')';
      counts[colour] = (counts[colour] ?? 0) + 1;
    }
    return counts;
  })()`);

/** Where the lines of the chart's labels for hours are, in pixels of its canvas. */
const gridLinesOf = (of: Page): Promise<readonly number[]> =>
  of.evaluate(`(() => {
    const canvas = document.querySelector('#hours canvas');
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = 'var(--line)';
    const line = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    const { data } = canvas.getContext('2d').getImageData(0, 40, canvas.width, 1);
    return [...Array(canvas.width).keys()].filter((x) => line.every((one, i) => Math.abs(data[x * 4 + i] - one) < 3) && data[x * 4 + 3] > 200);
  })()`);

/** How much is painted on the outermost pixels: a text that is cut would be. */
const paintedAtEdgesOf = (of: Page): Promise<number> =>
  of.evaluate(`(() => {
    const canvas = document.querySelector('#hours canvas');
    const { width, height } = canvas;
    const context = canvas.getContext('2d');
    const edges = [[0, 0, 1, height], [width - 1, 0, 1, height], [0, 0, width, 1], [0, height - 1, width, 1]];
    return edges.flatMap((edge) => [...context.getImageData(...edge).data]).filter((one) => one > 0).length;
  })()`);

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const rows = (region: string) => page.getByRole('region', { name: `Table: ${region}` }).locator('tbody tr');

/** The lines of what needs attention. */
const attention = () => page.locator('#attention .attention > li');

/** A figure by its title, such as `Requests`. */
const figure = (title: string) =>
  page.locator('#figures > div').filter({ has: page.getByText(title, { exact: true }) });

const versionIn = (file: string): unknown =>
  (JSON.parse(readFileSync(join(cwd(), file), 'utf8')) as { version: unknown }).version;

it('matches its picture in the documents: npm run pictures', () => {
  expect(versionIn('docs/images/pictures.json')).toBe(versionIn('package.json'));
});

describe('the dashboard', () => {
  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('fits, and is accessible, at %d pixels in %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    await page.emulateMedia({ colorScheme });
    await open(service.management);
    await becomes(() => rows('Keys').count(), 10);
    await page.locator('#hours canvas').waitFor();
    await attention().first().waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, `dashboard-${width}-${colorScheme}`);
    await page.locator('#attention').evaluate((list) => list.scrollIntoView());
    await keepScreenshot(page, `dashboard-${width}-${colorScheme}-attention`);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await keepScreenshot(page, `dashboard-${width}-${colorScheme}-end`);
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([new URL(service.management).host]);
  });

  it('has what needs attention in one list, worst first, each line with its key, and the rest in a sentence', async () => {
    await open(service.management);
    await attention().first().waitFor();
    const lines = (await attention().allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(lines).toEqual([
      expect.stringMatching(/^5xx createPet: 7 errors Since .*\d\d:00\. Worst hour: .*\d\d:00\.$/),
      expect.stringMatching(/^banned Customer 11 Until .*\d\d:\d\d, in \d+ min\. Banned since/),
      expect.stringMatching(/^at limit Customer 59 1,260 of 1,000 this month\.$/),
      expect.stringMatching(/^(?:at|near) limit Customer \d+ .* of 1,000 today\.$/),
      expect.stringMatching(/^(?:at|near) limit Customer \d+ .* of 1,000 today\.$/),
      expect.stringMatching(/^near limit \d+\+ more keys above 80 % of a limit\.$/),
      expect.stringMatching(/^suspended Customer 12 Until it is resumed\.$/),
      expect.stringMatching(/^expiring Customer 11 Expires in 4 days\.$/),
      expect.stringMatching(
        /^deprecated getPet: 1 key still calls it Last called in the hour from .*\d\d:00\. The key$/,
      ),
      expect.stringMatching(/^ended 1 ban ended In the last 24 hours\. The key$/),
    ]);
    expect(await page.locator('#attention .empty').innerText()).toBe('None unused for 90 days.');
    expect(await page.locator('#attention-count').innerText()).toBe(String(lines.length));
    await page.getByRole('link', { name: 'Customer 59', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Customer 59', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /more keys$/ }).click();
    await becomes(() => rows('Keys').count(), 50);
    expect(page.url()).toContain('show=keys&sort=share');
  });

  it.each([1440, 768, 390])(
    'has four figures in whole rows, at %d pixels, and cards of equal height',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await open(service.management);
      await attention().first().waitFor();
      await page.locator('#hours canvas').waitFor();
      const tops = await page.evaluate<number[]>(
        `[...document.querySelectorAll('#figures > div')].map((one) => Math.round(one.getBoundingClientRect().top))`,
      );
      expect(new Set(tops).size).toBe(width === 1440 ? 1 : 2);
      expect(tops.filter((top) => top === tops[0])).toHaveLength(width === 1440 ? 4 : 2);
      const heights = await page.evaluate<number[][]>(
        `[...document.querySelectorAll('#all .row')].map((row) => [...row.children].map((one) => Math.round(one.getBoundingClientRect().height)))`,
      );
      if (width === 1440) for (const [first, second] of heights) expect(first).toBe(second);
      expect(await page.locator('#hours .plot').evaluate((plot) => plot.clientHeight)).toBeGreaterThanOrEqual(
        260,
      );
    },
  );

  it('shows a state by distinct colour, shape and word', async () => {
    await open(service.management, '?show=keys&search=Customer+1');
    await rows('Keys').first().waitFor();
    const looks = await page.evaluate<string[]>(
      `['live', 'banned', 'suspended', 'revoked', 'expired', 'limit', 'error', 'deprecated'].map((kind) => {
        const made = document.body.appendChild(document.createElement('span'));
        made.className = 'badge ' + kind;
        const [own, mark] = [getComputedStyle(made), getComputedStyle(made, '::before')];
        const look = [own.color, mark.height, mark.borderWidth, mark.borderRadius, mark.clipPath, mark.transform, own.textDecorationLine].join();
        made.remove();
        return look;
      })`,
    );
    expect(new Set(looks).size).toBe(looks.length);
  });

  it('sets the time range of the page by dragging over the chart, and clears it', async () => {
    await open(service.management);
    const plot = page.locator('#hours .u-over');
    await plot.waitFor();
    const chosen = page.locator('#range [aria-current]');
    const [range, before, address] = [
      await chosen.innerText(),
      await page.locator('#when').innerText(),
      page.url(),
    ];
    const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
    await page.mouse.move(x + width * 0.26, y + 50);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.49, y + 60, { steps: 5 });
    await page.mouse.up();
    await becomes(async () => (await chosen.innerText()).endsWith(' ×'), true);
    const [from = '', to = ''] = ['from', 'to'].map(
      (name) => new URL(page.url()).searchParams.get(name) ?? '',
    );
    expect((Date.parse(to) - Date.parse(from)) / 3_600_000).toBe(6);
    const { rows: sums } = await pool.query<{ sum: string }>(
      'select sum(requests) from api_key_usage_hours where hour >= $1 and hour < $2',
      [from, to],
    );
    await figure('Requests').getByText(Number(sums[0]?.sum).toLocaleString('en'), { exact: true }).waitFor();
    expect(await page.locator('#when').innerText()).not.toBe(before);
    await page.getByText('As a table').click();
    await becomes(() => rows('Requests by hour').count(), 6);
    await chosen.click();
    // The time on the page ends now: its minute may have passed.
    await becomes(() => chosen.innerText(), range);
    expect(page.url()).toBe(address);
    await becomes(async () => (await rows('Requests by hour').count()) > 20, true);
    expect(faults).toEqual([]);
  });

  it('shows one outcome alone when its entry of the legend is pressed, and all when it is pressed again', async () => {
    await open(service.management);
    await page.locator('#hours canvas').waitFor();
    const entry = page.getByRole('button', { name: /^limited/ });
    const colours = Object.fromEntries(
      (await legendOf(page)).map(({ outcome, colour }) => [outcome, colour]),
    );
    const isPainted = async (outcome: string): Promise<boolean> =>
      ((await paintedIn(page))[colours[outcome] ?? ''] ?? 0) > 100;
    await entry.click();
    expect(await entry.getAttribute('aria-pressed')).toBe('true');
    await becomes(() => isPainted('success'), false);
    expect(await isPainted('limited')).toBe(true);
    await entry.click();
    await becomes(() => isPainted('success'), true);
  });

  it('marks in the chart what changed, from what to what, and by whom', async () => {
    await emptyPool.query(
      `select set_config('petstore.actor', 'alice', false), set_plan('free', per_minute => 61)`,
    );
    await emptyPool.query(`select set_plan('free', per_minute => 60)`);
    await open(empty.management);
    await page.locator('.marks li').first().waitFor();
    expect(await page.locator('.marks').innerText()).toMatch(/\b[AB]\s+\d+ \w{3} \d\d:00 .*2 plans changed/);
  });

  it.each([
    [1440, 4],
    [390, 2],
  ])('has the facts of a key in columns, at %d pixels in %d', async (width, columns) => {
    await page.setViewportSize({ width, height: 900 });
    await open(service.management, '?key=5');
    await page.locator('.facts').waitFor();
    const begins = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.facts > div')].map((one) => Math.round(one.getBoundingClientRect().left))`,
    );
    expect(new Set(begins).size).toBe(columns);
  });

  it.each(['light', 'dark'] as const)(
    'paints each outcome in the colour of its legend and in its share, in %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await open(service.management);
      await page.locator('#hours canvas').waitFor();
      const legend = await legendOf(page);
      expect(legend.map(({ outcome }) => outcome)).toEqual([
        ...['success', 'client error', 'limited', 'server error'],
      ]);
      const painted = await paintedIn(page);
      const counts = legend.map(({ colour }) => painted[colour] ?? 0);
      const [pixels, requests] = [sumOf(counts), sumOf(legend.map((one) => one.requests))];
      expect(pixels).toBeGreaterThan(10_000);
      for (const [nth, { requests: sent }] of legend.entries()) {
        expect(Math.abs((counts[nth] ?? 0) / pixels - sent / requests)).toBeLessThan(0.03);
      }
      // The colour of a canvas that did not understand another one.
      expect(painted['rgb(0, 0, 0)']).toBeUndefined();
    },
  );

  it.each(['Etc/UTC', 'America/New_York', 'Australia/Lord_Howe'])(
    'has even ticks over five weeks in %s',
    async (timezoneId) => {
      // In which the clocks of the two others changed, or will have.
      const session = await page.context().newCDPSession(page);
      await session.send('Emulation.setTimezoneOverride', { timezoneId });
      await open(service.management, '?range=35d');
      await page.locator('#hours canvas').waitFor();
      // One in four days: 35 days have eight or nine, by the day of the test.
      await becomes(async () => (await gridLinesOf(page)).length >= 8, true);
      const lines = await gridLinesOf(page);
      const steps = lines.slice(1).map((x, nth) => x - (lines[nth] ?? 0));
      expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(2);
      await session.send('Emulation.setTimezoneOverride', { timezoneId: '' });
    },
  );

  it.each([1, 999_999, 123_456_789_012])('has whole labels beside %d requests', async (requests) => {
    await emptyPool.query('delete from api_key_usage_hours');
    await emptyPool.query(
      `insert into api_key_usage_hours values (date_trunc('hour', now(), 'UTC'), 1, 'listPets', 'success', $1, 1)`,
      [requests],
    );
    await open(empty.management);
    await becomes(async () => (await legendOf(page))[0]?.requests, requests);
    await page.locator('#hours canvas').waitFor();
    expect(await paintedAtEdgesOf(page)).toBe(0);
    await keepScreenshot(page, `dashboard-labels-${requests}`);
    await emptyPool.query('delete from api_key_usage_hours');
  });

  it('shows sums of hourly counts, next to the previous period', async () => {
    const { rows: sums } = await pool.query<Record<'now' | 'before' | 'errors' | 'rejected', string>>(
      `select
         sum(requests) filter (where hour > this_hour() - interval '24 hours') as now,
         sum(requests) filter (where hour <= this_hour() - interval '24 hours') as before,
         sum(requests) filter (where hour > this_hour() - interval '24 hours' and outcome in ('server_error', 'undecided')) as errors,
         sum(requests) filter (where hour > this_hour() - interval '24 hours' and outcome in ('limited', 'banned', 'suspended', 'unauthorized')) as rejected
       from api_key_usage_hours where hour > this_hour() - interval '48 hours'`,
    );
    const text = (name: keyof (typeof sums)[number]) => Number(sums[0]?.[name] ?? 0).toLocaleString('en');
    await open(service.management);
    await figure('Requests').getByText(text('now'), { exact: true }).waitFor();
    await figure('Requests')
      .getByText(`${text('before')} in the 24 h before`)
      .waitFor();
    await figure('Rejected')
      .getByText(new RegExp(`^${text('rejected')}`))
      .waitFor();
    await figure('Errors (5xx)')
      .getByText(`${text('errors')} requests`, { exact: true })
      .waitFor();
    const [bad, well] = await page.evaluate<string[]>(
      `['#figures .is-bad .value', '#figures .first .value'].map((one) => getComputedStyle(document.querySelector(one)).color)`,
    );
    expect(bad).not.toBe(well);
    await open(empty.management);
    expect(await figure('Errors (5xx)').locator('.value').innerText()).toMatch(/^0\.00\s%\s+0 requests$/);
    expect(await page.locator('#figures .is-bad').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('shows when there was no database, in %s', async (colorScheme) => {
    await emptyPool.query('truncate database_outages, api_key_usage_hours');
    await emptyPool.query(
      `insert into database_outages
       select replica, date_trunc('day', now(), 'UTC') - interval '1 day' + interval '190 minutes', date_trunc('day', now(), 'UTC') - interval '1 day' + lasting, 0
       from (values ('one', interval '195 minutes'), ('two', interval '196 minutes')) as outage (replica, lasting)`,
    );
    await emptyPool.query(
      `insert into api_key_usage_hours values (date_trunc('hour', now(), 'UTC'), 1, 'listPets', 'undecided', 5883, 1)`,
    );
    await emptyPool.query(
      `insert into address_usage_hours values (date_trunc('hour', now(), 'UTC'), 'unauthorized', 4001)`,
    );
    await page.emulateMedia({ colorScheme });
    await open(empty.management, '?range=7d');
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await page.getByText(`No database: ${yesterday} 03:10 to 03:16 (2 replicas).`).waitFor();
    await figure('Errors (5xx)').getByText('5,883 requests').waitFor();
    await figure('Rejected').getByText('4,001').waitFor();
    const painted = await paintedIn(page);
    const colours = await page.evaluate<Readonly<Record<string, string>>>(
      `Object.fromEntries([...document.querySelectorAll('#hours .legend > *')].map((one) =>
        [one.textContent.replace(/[\\d,]+$/, '').trim(), getComputedStyle(one.querySelector('.dot')).backgroundColor]))`,
    );
    for (const name of ['undecided', 'without a key', 'no database'])
      expect(painted[colours[name] ?? '']).toBeGreaterThan(10);
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, `dashboard-outage-${colorScheme}`);
    await emptyPool.query('truncate database_outages, api_key_usage_hours, address_usage_hours');
  });

  it('follows the colour scheme while it is open', async () => {
    await open(service.management);
    await page.locator('#hours canvas').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await becomes(async () => {
      const painted = await paintedIn(page);
      return (await legendOf(page)).every(({ colour }) => painted[colour] !== undefined);
    }, true);
  });

  it('finds a key, shows all of it, and what to copy', async () => {
    await open(service.management, '?show=keys');
    await page.getByLabel(/^Search keys/).fill('omer 199999');
    await becomes(() => rows('Keys').count(), 1);
    expect(page.url()).toContain('search=omer+199999');
    await page.getByRole('link', { name: 'Customer 199999' }).click();
    await page.getByRole('heading', { name: 'Customer 199999', exact: true }).waitFor();
    await page.getByText('petstore keys suspend 200000 --for 1h').waitFor();
    await page.getByRole('button', { name: 'SQL', exact: true }).click();
    await page.getByText(`select * from suspend_api_key(200000, lasting => '1 hour');`).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${service.management}/dashboard?key=9`);
    await page.getByRole('region', { name: 'Table: Bans' }).waitFor();
    await keepScreenshot(page, 'dashboard-key');
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    // Only a key with a limit per month has one.
    expect(await page.getByText('This month').count()).toBe(0);
    await page.goto(`${service.management}/dashboard?key=60`);
    await page.getByText('1,260 / 1,000').waitFor();
    expect(faults).toEqual([]);
  });

  it('shows the requests of a key by operation, the busiest first, as they were counted', async () => {
    const { rows: counted } = await pool.query<{ text: string }>(
      `select concat_ws(E'\\t', operation, success, client_error, limited, server_error) as text
       from (
         select operation, sum(requests) as total,
           to_char(coalesce(sum(requests) filter (where outcome = 'success'), 0), 'FM9,999,990') as success,
           to_char(coalesce(sum(requests) filter (where outcome = 'client_error'), 0), 'FM9,999,990') as client_error,
           to_char(coalesce(sum(requests) filter (where outcome = 'limited'), 0), 'FM9,999,990') as limited,
           to_char(coalesce(sum(requests) filter (where outcome = 'server_error'), 0), 'FM9,999,990') as server_error
         from api_key_usage_hours where api_key_id = 3 group by operation) as sums
       order by total desc`,
    );
    await open(service.management, '?key=3&range=35d');
    await page.getByRole('region', { name: 'Table: By operation' }).waitFor();
    expect(await rows('By operation').allInnerTexts()).toEqual(counted.map(({ text }) => text));
    expect(counted).toHaveLength(3);
  });

  it('finds a key by the beginning of its secret', async () => {
    const {
      rows: [issued],
    } = await pool.query<{ id: string; key: string }>(
      `select id, key from issue_api_key('Newcomer', 'free')`,
    );
    await open(service.management, `?show=keys&search=${issued?.key.slice(0, 9)}`);
    await becomes(() => rows('Keys').count(), 1);
    expect(await rows('Keys').first().innerText()).toContain('Newcomer');
  });

  it.each([1440, 1280, 390, 320])('fits with a name of 255 characters, at %d pixels', async (width) => {
    await pool.query(
      `update api_keys set name = left(repeat('Würstchen GmbH & Co. ', 13), 255) where id = 3`,
    );
    await page.setViewportSize({ width, height: 900 });
    await open(service.management, '?show=keys');
    await becomes(() => rows('Keys').count(), 50);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const { hidden, visible } = await page.evaluate<{ hidden: number; visible: string[] }>(`(() => {
      const table = document.querySelector('[aria-label="Table: Keys"]');
      const { right } = table.getBoundingClientRect();
      const isSeen = (cell) => cell.getBoundingClientRect().right <= right + 1;
      const heads = [...table.querySelectorAll('th')].filter(isSeen);
      return { hidden: table.scrollWidth - table.clientWidth, visible: heads.map((cell) => cell.textContent) };
    })()`);
    if (width >= 1280) expect(hidden).toBeLessThanOrEqual(0);
    else expect(visible).toEqual(expect.arrayContaining(['Name ↑', 'State']));
    await keepScreenshot(page, `dashboard-names-${width}`);
    await open(service.management, '?key=3');
    await page.getByRole('heading', { name: /^Würstchen GmbH/ }).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  });

  it('isolates a name that is written from right to left', async () => {
    await pool.query(`update api_keys set name = 'חנות 2026' where id = 4`);
    await open(service.management, '?show=keys&search=4');
    const name = page.getByText('חנות 2026');
    await name.waitFor();
    expect(
      await page.evaluate(
        `getComputedStyle([...document.querySelectorAll('bdi')].find((one) => one.textContent === 'חנות 2026')).unicodeBidi`,
      ),
    ).toBe('isolate');
  });

  it('keeps what is open, selected, focused and scrolled while figures refresh', async () => {
    await page.setViewportSize({ width: 900, height: 700 });
    await open(service.management, '?key=5');
    await page.locator('#one').getByText('As a table').click();
    await page.getByText(/^\d more: /).click();
    const button = page.getByRole('button', { name: 'Copy: ' }).nth(3);
    await button.focus();
    await page.evaluate(`document.activeElement.scrollIntoView({ block: 'center', behavior: 'instant' })`);
    await page.evaluate(
      `getSelection().selectAllChildren([...document.querySelectorAll('.next code')].at(-1))`,
    );
    const state = (): Promise<{ readonly top: number; readonly kept: object }> =>
      page.evaluate(`({
        // Whatever comes above it, it stays where it is.
        top: document.activeElement.getBoundingClientRect().top,
        kept: {
          open: [...document.querySelectorAll('#one details')].map((one) => one.open),
          selected: String(getSelection()),
          focused: [...document.querySelectorAll('button')].indexOf(document.activeElement),
        },
      })`);
    const before = await state();
    expect(before.kept).toMatchObject({
      open: [true, true],
      selected: expect.stringContaining('petstore'),
      focused: expect.any(Number),
    });
    for (const refresh of [1, 2, 3]) {
      const asOf = await page.locator('#as-of').innerText();
      await pool.query(
        'update api_key_counters set day_admitted = 100 + $1, day = today() where api_key_id = 5',
        [refresh],
      );
      await pool.query(`select set_api_key_access(5, $1)`, [refresh % 2 === 0 ? 'read' : 'write']);
      await eventually(async () => expect(await page.locator('#as-of').innerText()).not.toBe(asOf), 60_000);
      const { top, kept } = await state();
      expect(kept).toEqual(before.kept);
      // A page scrolls by whole pixels, and the rows that come are no whole pixels high.
      expect(Math.abs(top - before.top)).toBeLessThan(2);
    }
    await page.getByText('103 / ').first().waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('pages, and keeps its state in the URL', async () => {
    await open(service.management, '?show=keys&sort=share&range=7d');
    await becomes(() => rows('Keys').count(), 50);
    const first = await rows('Keys').first().innerText();
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByRole('link', { name: '← Previous' }).waitFor();
    expect(page.url()).toMatch(/sort=share&range=7d&page=1#keys-title$/);
    expect(await rows('Keys').first().innerText()).not.toBe(first);
    await page.getByRole('link', { name: 'Rejected' }).click();
    await page.locator('th[aria-sort="descending"]').filter({ hasText: 'Rejected' }).waitFor();
    await page.getByLabel('State').selectOption('revoked');
    await becomes(() => rows('Keys').count(), 0);
    await page.getByText('No matching keys.').waitFor();
    expect(page.url()).toContain('state=revoked');
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.locator('#hours canvas').waitFor();
    await page.getByRole('link', { name: '35 d' }).click();
    expect(page.url()).toMatch(/\?range=35d$/);
    await page.getByRole('heading', { name: 'Requests by day' }).waitFor();
    await page.getByText('As a table').click();
    await becomes(async () => [35, 36].includes(await rows('Requests by hour').count()), true);
    expect(faults).toEqual([]);
  });

  it('has a sentence for each place that is empty', async () => {
    await open(empty.management, '?show=keys&search=nothing');
    await page.getByText('No matching keys.').waitFor();
    await page.goto(`${empty.management}/dashboard?key=77`);
    await page.getByText('There is no key 77.').waitFor();
    await open(empty.management);
    await page.getByText('No requests in this time.').waitFor();
    await page.getByRole('heading', { name: 'Send the first request' }).waitFor();
    expect(await page.locator('#first').innerText()).toMatch(
      /curl -w '\\n' -H 'Authorization: Bearer psk_…' \\\n +'http:\/\/localhost:\d+\/v1\/pets\?limit=3'/,
    );
    await page.getByText(/^No errors, no banned key, none near a limit, /).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, 'dashboard-empty');
  });

  it('says that the database is away, and keeps the last figures', async () => {
    await open(service.management, '?show=keys');
    await becomes(() => rows('Keys').count(), 50);
    await proxy.mode('close');
    // As soon as its views are older than ten seconds.
    await page.locator('#problems p').first().waitFor();
    expect(await page.locator('#problems').innerText()).toMatch(/^The data cannot be loaded: /);
    expect(await rows('Keys').count()).toBe(50);
    expect(await accessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, 'dashboard-away');
    await proxy.mode('pass');
    await becomes(() => page.locator('#problems p').count(), 0);
  });
});

/** Waits until a reading has a value. */
async function becomes<Value>(read: () => Promise<Value>, value: Value): Promise<void> {
  await eventually(async () => expect(await read()).toEqual(value));
}
