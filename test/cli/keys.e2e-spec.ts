import { describe, expect, it } from '@jest/globals';
import { hashApiKey } from '../../src/auth/keys/api-key.js';
import { json } from './support/petstore.js';
import { type PrintedKey, usePetstore } from './support/use-petstore.js';

const { petstore, issue, query } = usePetstore();

describe('petstore keys issue', () => {
  it('prints one object, whose key is the one that is stored as a hash', async () => {
    const issued = await json<PrintedKey>(
      petstore([
        ...['keys', 'issue', '--name', 'Big', '--plan', 'enterprise', '--json'],
        ...['--per-minute', '5000', '--per-day', '1000000', '--expires', '2099-01-31T00:00:00+01:00'],
      ]),
    );
    expect(issued).toEqual({
      id: expect.any(Number),
      key: expect.stringMatching(/^psk_\w{38}$/),
      access: 'write',
      customer: null,
      name: 'Big',
      prefix: issued.key.slice(0, 12),
      plan_id: 'enterprise',
      requests_per_minute: 5000,
      requests_per_day: 1_000_000,
      expires_at: '2099-01-30T23:00:00.000Z',
    });
    const { rows } = await query('select from api_key_secrets where api_key_id = $1 and hash = $2', [
      issued.id,
      hashApiKey(issued.key),
    ]);
    expect(rows).toHaveLength(1);
  });

  it('prints names and values for people', async () => {
    const { code, stdout } = await petstore(['keys', 'issue', '--name', 'Acme web', '--plan', 'free']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^key {18}psk_\w{38}\nname {17}Acme web\n/m);
    expect(stdout).toMatch(/^expires_at {11}-\n/m);
  });

  it.each([
    [['--name', 'x'], /--plan/],
    [['--name', 'x', '--plan', 'free', '--per-minute', '0'], /integer from 1/],
    [['--name', 'x', '--plan', 'free', '--expires', '2099-01-31'], /valid time with an offset/],
    [['--name', 'x', '--plan', 'free', '--expires', '2099-02-30T00:00:00Z'], /valid time with an offset/],
    [['--name', 'x', '--plan', 'free', '--for-free'], /unknown option/],
  ])('is used wrongly as %j: exit code 2 and what is wrong', async (args, wrong) => {
    const { code, stderr, stdout } = await petstore(['keys', 'issue', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(wrong);
    expect(stderr).toMatch(/--help/);
    expect(stdout).toBe('');
  });

  it("prints the database's message in one line and its hint in another", async () => {
    const { code, stderr } = await petstore(['keys', 'issue', '--name', 'x', '--plan', 'gold']);
    expect(code).toBe(1);
    expect(stderr).toBe('plan "gold" does not exist\nThe plans are: business, enterprise, free, pro.\n');
  });
});

describe('a key that may only read', () => {
  it('is issued by one command, and its access is set by another', async () => {
    const issued = await json<PrintedKey & { access: string }>(
      petstore(['keys', 'issue', '--name', 'page', '--plan', 'free', '--read-only', '--json']),
    );
    expect(issued).toMatchObject({ access: 'read', key: expect.stringMatching(/^psk_/) });
    const shown = () => json<{ access: string }>(petstore(['keys', 'show', String(issued.id), '--json']));
    expect(await shown()).toMatchObject({ access: 'read' });
    expect((await petstore(['keys', 'set-access', issued.prefix, 'write'])).code).toBe(0);
    expect(await shown()).toMatchObject({ access: 'write' });
    expect((await petstore(['keys', 'set-access', issued.prefix, 'all'])).code).toBe(2);
  });
});

describe('petstore keys list', () => {
  it('prints an array of every key, in the order of their ids', async () => {
    await query(
      `insert into api_keys (name, plan_id) select 'many ' || n, 'free' from generate_series(1, 1100) as n`,
    );
    const many = await json<PrintedKey[]>(petstore(['keys', 'list', '--json', '--name', 'MANY ']));
    expect(many).toHaveLength(1100);
    const { rows } = await query<{ id: string }>(
      `select id from api_keys where name like 'many %' order by id`,
    );
    expect(many.map(({ id }) => String(id))).toEqual(rows.map(({ id }) => id));
    expect(many[0]).toMatchObject({ state: 'unissued', plan_id: 'free', requests_per_minute: 60 });
    expect(await json<PrintedKey[]>(petstore(['keys', 'list', '--json', '--limit', '1001']))).toHaveLength(
      1001,
    );
  });

  it('shows people a hundred, and says that there are more', async () => {
    await query(
      `insert into api_keys (name, plan_id) select 'people ' || n, 'free' from generate_series(1, 101) as n`,
    );
    const { stdout } = await petstore(['keys', 'list', '--name', 'people']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(103);
    expect(lines[0]).toMatch(/^ *id {2}name +prefix +plan +state +minute +day +rejected +last used$/);
    expect(lines.at(-1)).toMatch(/^Only the first 100 keys are shown/);
    expect((await petstore(['keys', 'list', '--name', 'people', '--limit', '200'])).stdout).not.toMatch(
      /Only the first/,
    );
  });

  it('finds by plan and state, and prints an empty array when there is none', async () => {
    const { id } = await issue('to find', 'business');
    await petstore(['keys', 'suspend', String(id)]);
    const found = await json<PrintedKey[]>(
      petstore(['keys', 'list', '--json', '--plan', 'business', '--state', 'suspended']),
    );
    expect(found.map((key) => key.id)).toEqual([id]);
    expect(await json(petstore(['keys', 'list', '--json', '--name', 'no such name']))).toEqual([]);
    expect((await petstore(['keys', 'list', '--name', 'no such name'])).stdout).toBe('No keys found.\n');
    expect((await petstore(['keys', 'list', '--state', 'dead'])).code).toBe(2);
    expect(await petstore(['keys', 'list', '--plan', 'nope'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no plan "nope".\nTo see the plans: petstore plans list\n',
    });
  });
});

describe('petstore keys show', () => {
  it('finds a key by its id, its beginning or the whole of it, with its secrets', async () => {
    const { id, key, prefix } = await issue();
    for (const reference of [String(id), prefix, key]) {
      expect(await json(petstore(['keys', 'show', reference, '--json']))).toMatchObject({
        id,
        state: 'live',
        secrets: 1,
        secret_list: [{ prefix, created_at: expect.stringMatching(/^\d{4}-.*Z$/), expires_at: null }],
      });
    }
    const { stdout } = await petstore(['keys', 'show', prefix]);
    expect(stdout).toMatch(/^state {16}live$/m);
    expect(stdout).not.toContain(key);
  });

  it.each([
    ['987654321', 1, /^key 987654321 does not exist\nTo find a key: /],
    ['psk_00000000', 1, /^No key begins with psk_00000000\.\n/],
    ['seven', 2, /must be an id such as 7/],
    ['9223372036854775808', 2, /must be an id such as 7/],
  ])('of %s: exit code %d', async (reference, code, text) => {
    expect(await petstore(['keys', 'show', reference])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(text),
    });
  });
});

describe('petstore keys usage', () => {
  it('prints the requests of each day, the present one last', async () => {
    const { id } = await issue();
    await query(
      `insert into api_key_usage (api_key_id, day, admitted, refused)
       select $1, (now() at time zone 'UTC')::date - back, back * 10, back from unnest(array[1, 30, 31]) as back`,
      [id],
    );
    const days = await json<{ day: string; admitted: number }[]>(
      petstore(['keys', 'usage', String(id), '--json']),
    );
    expect(days.map(({ admitted }) => admitted)).toEqual([300, 10]);
    expect(days[0]?.day).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(await json(petstore(['keys', 'usage', String(id), '--json', '--days', '32']))).toHaveLength(3);
    const { stdout } = await petstore(['keys', 'usage', String(id)]);
    expect(stdout).toMatch(/^day +admitted +rejected\n[- ]+\n\d{4}-\d\d-\d\d +300 +30\n/);
    const { id: unused } = await issue();
    expect((await petstore(['keys', 'usage', String(unused), '--days', '7'])).stdout).toBe(
      'No requests in the last 7 days.\n',
    );
    expect(await petstore(['keys', 'usage', '987654321'])).toMatchObject({ code: 1, stdout: '' });
  });
});
