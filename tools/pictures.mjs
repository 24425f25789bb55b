// Makes the pictures of the documents from a seeded database: `npm run pictures`. It needs Chromium, which CHROMIUM names, and the ports
// 3000 and 3001, which the pictures show.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const IMAGES = join(ROOT, 'docs/images');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const directory = mkdtempSync(join(tmpdir(), 'petstore-pictures-'));
// As root the embedded PostgreSQL runs as another user.
chmodSync(directory, 0o777);
const environment = { PATH: process.env.PATH, DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'error' };

/** Customers with eight keys of all plans and states, 35 days of use, a ban, a suspension and an error. */
const SEED = `
  set timezone = 'UTC';
  select set_config('petstore.actor', 'ops', false);
  select issue_customer_api_key(customer, name, plan)
  from (values
    ('hooli', 'Hooli crawler', 'free'), ('umbrella', 'Umbrella kiosk', 'free'), ('stark', 'Stark ops', 'pro'), ('acme', 'Acme web', 'free'),
    ('wayne', 'Wayne POS', 'business'), ('globex', 'Globex mobile', 'pro'), ('initech', 'Initech sync', 'business')
  ) as v (customer, name, plan);
  select issue_customer_api_key('wonka', 'Wonka app', 'enterprise', 2000, 200000);
  insert into api_key_usage_hours (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
  select hour, key, operation, outcome, requests, requests * ms, 12 + key * 3
  from (
    select hour, key, operation, outcome, ms,
      ceil(share * (6 + 4 * sin((extract(hour from hour) - 9) / 24 * 2 * pi()) + random()) * (1 + key % 3))::bigint as requests
    from generate_series(this_hour() - interval '839 hours', this_hour(), '1 hour') as hour
    cross join generate_series(2, 9) as key
    cross join (values
      ('listPets', 'success', 40, 6), ('getPet', 'success', 25, 3), ('createPet', 'success', 12, 11), ('placeOrder', 'success', 8, 13),
      ('updatePet', 'success', 5, 10), ('getInventory', 'success', 2, 21)
    ) as v (operation, outcome, share, ms)
  ) as used;
  insert into api_key_usage_hours values
    (this_hour() - interval '2 hours', 4, 'createPet', 'server_error', 31, 900, null),
    (this_hour() - interval '9 hours', 3, 'listPets', 'limited', 640, 900, null),
    (this_hour(), 2, 'listPets', 'limited', 210, 900, null), (this_hour(), 2, 'listPets', 'banned', 588, 900, null),
    (this_hour() - interval '1 hour', 8, 'listPets', 'suspended', 392, 900, null);
  update api_key_counters
  set minute = date_trunc('minute', present(), 'UTC'), day = today(), minute_admitted = 4 * api_key_id, day_admitted = 120 * api_key_id
  where api_key_id > 1;
  update api_key_counters set minute_admitted = 60, day_admitted = 951 where api_key_id = 3;
  update api_key_counters
  set minute_admitted = 60, minute_refused = 20, banned_at = present(), banned_until = present() + interval '8 minutes' where api_key_id = 2;
  insert into api_key_bans select api_key_id, banned_at, banned_until, 60, 1000 from api_key_counters where banned_at is not null;
  select suspend_api_key(8), set_api_key_expiry(4, now() + interval '9 days'), set_plan('free', per_minute => 90);`;

const petstore = async (...args) =>
  (
    await promisify(execFile)(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args], {
      env: { ...environment, COLUMNS: '120' },
    })
  ).stdout;

const service = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
  cwd: directory,
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [, key] = await untilPrinted(/PETSTORE_KEY=(psk_\w+)[^]*limit=3'\n/);
  const client = new pg.Client({ connectionString: (await petstore('db', 'url')).trim() });
  await client.connect();
  await client.query(SEED);
  await client.end();
  const commands = ['keys list', 'usage top --limit 5', 'usage bans'];
  const outputs = await Promise.all(commands.map((command) => petstore(...command.split(' '))));
  const terminal = commands.map((command, nth) => `$ petstore ${command}\n${outputs[nth]}`).join('\n');
  await takeAll(key, terminal);
  writeFileSync(join(IMAGES, 'pictures.json'), `{ "version": "${version}" }\n`);
} finally {
  service.kill('SIGTERM');
  if (service.exitCode === null) await new Promise((resolve) => service.once('exit', resolve));
  rmSync(directory, { recursive: true });
}

function untilPrinted(pattern) {
  let text = '';
  return new Promise((resolve, reject) => {
    service.stdout.on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    });
    service.once('exit', () =>
      reject(new Error('the service did not start: are the ports 3000 and 3001 free?')),
    );
  });
}

async function takeAll(key, terminal) {
  const executablePath =
    process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 960 }, colorScheme: 'light' });
  const take = (name, options) => page.screenshot({ path: join(IMAGES, `${name}.png`), ...options });

  await page.goto('http://localhost:3001/dashboard');
  await page.locator('#keys tbody tr').first().waitFor();
  await page.locator('#attention li').first().waitFor();
  await page.locator('#plans tbody tr').first().waitFor();
  await take('dashboard');

  await page.goto('http://localhost:3000/docs#listPets');
  await page.getByRole('button', { name: 'Use an API key' }).click();
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
  const form = page.getByRole('form', { name: 'Try: List pets' });
  await form.getByLabel('limit').fill('3');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await form.getByLabel('Response body').waitFor();
  await page.locator('#listPets').evaluate((section) => section.scrollIntoView({ behavior: 'instant' }));
  await take('docs-page');

  await page.goto('about:blank');
  await page.evaluate((text) => {
    const pre = document.body.appendChild(document.createElement('pre'));
    pre.textContent = text;
    document.body.style.margin = '0';
    pre.style.cssText =
      'display: inline-block; margin: 0; padding: 24px; background: #151d20; color: #e6eced; font: 14px/21px "Liberation Mono", monospace';
  }, terminal);
  await page.locator('pre').screenshot({ path: join(IMAGES, 'command-line.png') });
  await browser.close();
}
