import { beforeAll, describe, expect, it } from '@jest/globals';

import { grantRoles, loginAs } from '../support/operator-roles.js';
import { json, petstoreOn } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

interface Entry {
  readonly id: number;
  readonly actor: string | null;
  readonly application: string;
  readonly table_name: string;
}

const { database, petstore, query, issue } = usePetstore();
const audit = (...args: string[]): Promise<readonly Entry[]> => json(petstore(['audit', ...args, '--json']));

beforeAll(() => grantRoles(database.url, 'superuser'));

describe('petstore audit', () => {
  it('shows the changes of a key, of its secrets and of a plan, the last one first', async () => {
    const { id, prefix } = await issue();
    await petstore(['keys', 'set-limits', String(id), '--per-minute', '5']);
    await petstore(['keys', 'rotate', prefix, '--overlap', '1h']);
    await petstore(['plans', 'set', 'free', '--per-minute', '7']);
    const { stdout } = await petstore(['audit', prefix]);
    const by = ', by \\S+, as alice\\n';
    const entries = stdout.split(/^(?=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2})/m);
    expect(entries).toEqual([
      expect.stringMatching(new RegExp(`  insert secret ${id}${by}(?: {4}.*\\n)* {4}prefix: psk_`)),
      expect.stringMatching(
        new RegExp(`  update secret ${id}${by} {4}prefix: psk_\\S+\\n {4}expires_at: - → \\d{4}-`),
      ),
      expect.stringMatching(new RegExp(`  update key ${id}${by} {4}requests_per_minute: - → 5\\n$`)),
      expect.stringMatching(new RegExp(`  insert secret ${id}${by}`)),
      expect.stringMatching(new RegExp(`  insert key ${id}${by}(?: {4}.*\\n)* {4}name: Acme`)),
    ]);
    expect(new Set((await audit(prefix)).map(({ application }) => application))).toEqual(
      new Set(['petstore cli']),
    );
    expect((await petstore(['audit', 'free'])).stdout).toMatch(
      /  update plan free, by \S+, as alice\n {4}requests_per_minute: 60 → 7\n/,
    );
    expect(await audit(String(id), '--limit', '2')).toHaveLength(2);
  });

  it('shows old and new values at 80 columns, whatever the texts, untruncated', async () => {
    const { id } = await issue();
    const long = `${'Acme & Sons '.repeat(12)}${'x'.repeat(100)}`;
    await query('update api_keys set name = $2 where id = $1', [id, long]);
    for (const columns of [80, 40]) {
      const { stdout } = await petstore(['audit', String(id), '--limit', '1'], { context: { columns } });
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(stdout.replaceAll(/\n {4}/g, ' ').replaceAll(/ +/g, ' ')).toContain(
        'name: Acme → Acme & Sons Acme',
      );
      expect(stdout.replaceAll(/\s/g, '')).toContain(long.replaceAll(' ', ''));
    }
  });

  it('has one entry for a statement, which can be unfolded', async () => {
    await query(`insert into api_keys (name, plan_id) select 'crowd', 'free' from generate_series(1, 7)`);
    await query(`update api_keys set requests_per_minute = 50 where name = 'crowd'`);
    const { stdout } = await petstore(['audit', '--limit', '1']);
    expect(stdout).toMatch(
      /^\S+ {2}update 7 keys \(\d+, \d+, \d+, \d+, \d+, …\), by \S+\n {4}requests_per_minute: - → 50\nThere may be older changes: raise --limit\.\n$/,
    );
    const each = await petstore(['audit', '--limit', '7', '--each']);
    expect(each.stdout.match(/ {2}update key \d+, by/g)).toHaveLength(7);
  });

  it('until a time, and by whom', async () => {
    const { id } = await issue();
    await petstore(['keys', 'suspend', String(id), '--actor', 'dora']);
    expect((await audit(String(id), '--by', 'dora')).map(({ actor }) => actor)).toEqual(['dora']);
    expect(await audit(String(id), '--by', new URL(database.url).username)).toHaveLength(3);
    expect(await audit(String(id), '--by', 'stranger')).toEqual([]);
    expect(await audit(String(id), '--until', '1h')).toEqual([]);
    expect(await audit(String(id), '--until', '2099-01-01T00:00:00Z')).toHaveLength(3);
  });

  it('since a time', async () => {
    const { id } = await issue();
    await query(`alter table audit_log disable trigger audit_log_only_added_to`);
    await query(`update audit_log set changed_at = now() - interval '3 days' where api_key_id = $1`, [id]);
    await petstore(['keys', 'suspend', String(id)]);
    expect((await audit(String(id), '--since', '1d')).map(({ table_name: table }) => table)).toEqual([
      'api_keys',
    ]);
    expect(await audit(String(id), '--since', '4d')).toHaveLength(3);
    expect(await audit(String(id), '--since', '2099-01-01T00:00:00Z')).toEqual([]);
    expect((await petstore(['audit', '--since', 'yesterday'])).code).toBe(2);
  });

  it.each(['5000', 'gold', 'psk_aaaaaaaa'])('says what does not exist: %s', async (subject) => {
    expect(await petstore(['audit', subject])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^(?:There is no|No key begins with|key 5000 does not exist)/),
    });
  });

  it('gives a program all entries unless limited, and rejects a range that ends before it begins', async () => {
    await query(
      `select * from issue_api_keys(array(select 'many ' || n from generate_series(1, 101) as n), 'pro')`,
    );
    const { rows } = await query<{ count: number }>('select count(*)::int from audit_log');
    expect(rows[0]?.count).toBeGreaterThan(200);
    expect(await audit()).toHaveLength(rows[0]?.count ?? 0);
    expect(await audit('--limit', '7')).toHaveLength(7);
    expect(
      (await petstore(['keys', 'list', '--limit', '2147483647'])).stdout.split('\n').length,
    ).toBeGreaterThan(103);
    expect(await petstore(['audit', '--since', '1h', '--until', '5h'])).toMatchObject({
      ...{ code: 2, stdout: '', stderr: '--since must be before --until.\n' },
    });
  });

  it('names who makes the change, where the command says so', async () => {
    const { id } = await issue();
    await petstore(['keys', 'suspend', String(id), '--actor', 'bob']);
    await petstore(['--actor', 'carol', 'keys', 'resume', String(id)]);
    await petstore(['keys', 'suspend', String(id)], { context: { actor: '' } });
    expect((await audit(String(id), '--limit', '3')).map(({ actor }) => actor)).toEqual([
      null,
      'carol',
      'bob',
    ]);
  });
});

const set = (...args: string[]) => ['plans', 'set', 'crowd', '--per-minute', '6', ...args];

describe('a change of many keys', () => {
  it('asks, or needs --yes', async () => {
    await petstore(['plans', 'create', 'crowd', '--per-minute', '5', '--per-day', '50']);
    for (let key = 0; key < 10; key += 1) await issue('Acme', 'crowd');
    expect((await petstore(set())).code).toBe(0);
    await issue('Acme', 'crowd');
    expect(await petstore(set())).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^This changes the limits of 11 keys\. Pass --yes to confirm/),
    });
    expect((await petstore(set(), { reply: 'n' })).code).toBe(1);
    expect((await petstore(set(), { reply: 'y' })).code).toBe(0);
    expect((await petstore(set('--yes'))).code).toBe(0);
  });
});

describe('support', () => {
  it('sees what operators see, and is told who may change it', async () => {
    const { id } = await issue();
    const login = await loginAs('petstore_support', database.url);
    const support = petstoreOn(login.url);
    for (const command of [`keys list`, `keys show ${id}`, `keys usage ${id}`, 'plans list', `audit ${id}`]) {
      expect((await support(command.split(' '))).code).toBe(0);
    }
    expect((await support(['doctor'])).stdout).toMatch(/^ok {4}roles {10}\S+ may see keys and plans$/m);
    expect(await support(['keys', 'suspend', String(id)])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^permission denied for function suspend_api_key\nMembers of petstore_support may read, /,
      ),
    });
    await login.drop();
  });
});
