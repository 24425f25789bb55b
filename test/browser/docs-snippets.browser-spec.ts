import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { prepareFirstStart } from '../../src/lifecycle/first-start.js';
import { type InstalledClient, installClient } from '../client/installed-client.js';
import { closeAtEnd } from '../support/close-at-end.js';
import { startService, type TestService } from '../support/service.js';
import { type Chromium, startChromium } from './chromium.js';
import { authorise, formOf, openDocs, send } from './docs-page.js';

/** Beyond 2^53, where JSON.parse would round. */
const BIG_ID = '9007199254740993';

let service: TestService;
let client: InstalledClient;
let chromium: Chromium;

beforeAll(async () => {
  [service, client, chromium] = await Promise.all([
    closeAtEnd(startService()),
    closeAtEnd(installClient()),
    closeAtEnd(startChromium()),
  ]);
});

/** A service as its first start leaves it. */
async function newStore(): Promise<{ readonly fresh: TestService; readonly apiKey: string }> {
  const fresh = await closeAtEnd(startService());
  let apiKey = '';
  await prepareFirstStart(fresh.databaseUrl, (first) => (apiKey = first?.apiKey ?? ''));
  return { fresh, apiKey };
}

/** The snippets of a form, by language. */
async function snippetsOf(form: Locator): Promise<Readonly<Record<string, string>>> {
  const snippets: Record<string, string> = {};
  for (const language of await form
    .getByRole('group', { name: 'Language' })
    .getByRole('button')
    .allInnerTexts()) {
    await form.getByRole('button', { name: language, exact: true }).click();
    snippets[language] = await form.locator('.snippet code').innerText();
  }
  return snippets;
}

describe('the snippets of the docs page', () => {
  const ODD = `It's "Rex" \\\\ 🐕`;

  it('hold the values of the form, in four languages', async () => {
    const { page } = await openDocs(chromium, service.origin);
    const form = formOf(page, 'Change a pet');
    await form.getByLabel('petId').fill('7');
    await form.locator('summary', { hasText: 'Headers' }).click();
    await form.getByLabel('If-Match').fill('"x"');
    await form.getByLabel('Body', { exact: true }).fill(`{ "name": "It's Rex",\n "categoryId": ${BIG_ID} }`);
    expect(await snippetsOf(form)).toEqual({
      curl: `curl -i -w '\\n' -X PATCH -H "Authorization: Bearer $PETSTORE_KEY" \\
  -H 'If-Match: "x"' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{ "name": "It'\\''s Rex",
 "categoryId": ${BIG_ID} }' \\
  '${service.origin}/v1/pets/7'`,
      JavaScript: `const response = await fetch('${service.origin}/v1/pets/7', {
  method: 'PATCH',
  headers: {
    Authorization: \`Bearer \${process.env.PETSTORE_KEY}\`,
    'If-Match': '"x"',
    'Content-Type': 'application/json',
  },
  body: '{"name":"It\\'s Rex","categoryId":${BIG_ID}}',
});
console.log(response.status, await response.text());`,
      'Typed client': `import { PetStore } from '@petstore/client';

const store = new PetStore({ baseUrl: '${service.origin}/v1', apiKey: process.env.PETSTORE_KEY });
console.log(await store.changePet('7', { name: 'It\\'s Rex', categoryId: '${BIG_ID}' }, { ifMatch: '"x"' }));`,
      Python: `import os
import requests

response = requests.patch(
    '${service.origin}/v1/pets/7',
    headers={
        'Authorization': 'Bearer ' + os.environ['PETSTORE_KEY'],
        'If-Match': '"x"',
        'Content-Type': 'application/json',
    },
    data='{"name":"It\\'s Rex","categoryId":${BIG_ID}}'.encode(),
)
print(response.status_code, response.text)`,
    });
    // Every form shows the language that was chosen last.
    const other = await formOf(page, 'Get the inventory').locator('.snippet code').innerText();
    expect(other).toContain('requests.get(');
  });

  it('contain every form header in every language, and the client sends it', async () => {
    const { fresh, apiKey } = await newStore();
    const { page } = await openDocs(chromium, fresh.origin);
    const forms = page.getByRole('form', { name: 'Try: ' });
    const TAG = '"of no version"';
    for (let index = 0; index < (await forms.count()); index += 1) {
      const form = forms.nth(index);
      const fields = form.getByLabel(/^(?:If-|Idempotency)/);
      const id = await form.getAttribute('aria-label');
      const headers = form.locator('summary', { hasText: 'Headers' });
      if ((await headers.count()) > 0) await headers.click();
      for (let nth = 0; nth < (await fields.count()); nth += 1) {
        await fields.nth(nth).fill(TAG);
        const snippets = await snippetsOf(form);
        const unsaid = Object.entries(snippets).filter(([, text]) => !text.includes('of no version'));
        expect({ id, nth, unsaid }).toEqual({ id, nth, unsaid: [] });
        await fields.nth(nth).fill('');
      }
    }
    const put = formOf(page, 'Name a category');
    await put.getByLabel('If-None-Match').fill('*');
    const { 'Typed client': text = '' } = await snippetsOf(put);
    await client.node(['put.mjs'], { 'put.mjs': text }, { PETSTORE_KEY: apiKey });
    await expect(client.node(['put.mjs'], { 'put.mjs': text }, { PETSTORE_KEY: apiKey })).rejects.toThrow(
      /precondition_failed/,
    );
  });

  it('in JavaScript and with the client run as they are, for every operation', async () => {
    const { fresh, apiKey } = await newStore();
    const { page } = await openDocs(chromium, fresh.origin);
    await formOf(page, 'Add a pet')
      .getByLabel('Body', { exact: true })
      .fill(JSON.stringify({ name: ODD, categoryId: 7 }));
    const files: Record<string, string> = {};
    const forms = page.getByRole('form', { name: 'Try: ' });
    for (let index = 0; index < (await forms.count()); index += 1) {
      const snippets = await snippetsOf(forms.nth(index));
      files[`javascript-${index}.mjs`] = snippets['JavaScript'] ?? '';
      files[`client-${index}.mjs`] = snippets['Typed client'] ?? '';
    }
    const count = await forms.count();
    const statuses: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const printed = await client.node([`javascript-${index}.mjs`], files, { PETSTORE_KEY: apiKey });
      statuses.push(printed.slice(0, 3));
    }
    expect(statuses).toEqual([
      ...['200', '201', '200', '200', '204'],
      // Of the categories.
      ...['200', '201', '200', '201', '204'],
      ...['200', '201', '200', '200', '200', '200'],
    ]);
    // The pet is deleted, the other one ordered, and the order approved: once more with new records.
    await fresh.pool.query('truncate pets, orders, categories restart identity cascade');
    await fresh.pool.query(
      `insert into categories (name) select 'Category ' || n from generate_series(1, 8) as n`,
    );
    await fresh.pool.query(
      `insert into pets (name, category_id, status) select 'Pet', 1, 'available' from generate_series(1, 4)`,
    );
    await fresh.pool.query('insert into orders (pet_id) values (3)');
    for (let index = 0; index < count; index += 1) {
      await client.node([`client-${index}.mjs`], files, { PETSTORE_KEY: apiKey });
    }
    const { rows } = await fresh.pool.query<{ name: string }>('select name from pets where id = 5');
    expect(rows).toEqual([{ name: ODD }]);
  });
});

describe('the forms of the docs page', () => {
  it('succeed on a new store, from top to bottom, and those that read or change once more', async () => {
    const { fresh, apiKey } = await newStore();
    const { page, expectNoFaults } = await openDocs(chromium, fresh.origin);
    await authorise(page, apiKey);
    const forms = page.getByRole('form', { name: 'Try: ' });
    for (let index = 0; index < (await forms.count()); index += 1) {
      expect(await send(forms.nth(index))).toMatch(/^20[014]/);
    }
    for (const summary of ['List pets', 'Get a pet', 'Change a pet', 'Get an order'])
      expect(await send(formOf(page, summary))).toMatch(/^200/);
    expectNoFaults();
  });
});
