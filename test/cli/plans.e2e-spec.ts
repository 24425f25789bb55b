import { describe, expect, it } from '@jest/globals';
import { json } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { petstore, query } = usePetstore();

const plans = (): Promise<readonly { readonly id: string }[]> => json(petstore(['plans', 'list', '--json']));

const run = (...args: string[]): Promise<unknown> => json(petstore(['plans', ...args, '--json']));

/** The counts of keys that are neither used nor suspended. */
const UNUSED = { suspended_keys: 0, active_keys: 0, near_limit_keys: 0 };

describe('petstore plans', () => {
  it('lists every plan with its keys', async () => {
    await petstore(['keys', 'issue', '--name', 'a', '--plan', 'pro']);
    expect((await plans()).map((plan) => Object.values(plan as object))).toEqual([
      ['free', false, 60, 1000, 0, 0, 0, 0, 0, null],
      ['pro', false, 300, 10_000, 1, 1, 0, 0, 0, null],
      ['business', false, 1000, 100_000, 0, 0, 0, 0, 0, null],
      ['enterprise', true, null, null, 0, 0, 0, 0, 0, null],
    ]);
    const { stdout } = await petstore(['plans', 'list']);
    expect(stdout).toMatch(/^enterprise +yes +- +- +- +0 +0$/m);
  });

  it('creates a plan once', async () => {
    const args = ['create', 'startup', '--per-minute', '600', '--per-day', '50000'];
    expect(await run(...args)).toEqual({
      id: 'startup',
      custom: false,
      requests_per_minute: 600,
      requests_per_day: 50_000,
      requests_per_month: null,
      keys: 0,
      live_keys: 0,
      ...UNUSED,
    });
    expect(await petstore(['plans', ...args])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plan "startup" already exists\nTo change it: [^\n]*\n$/),
    });
    expect(await run('create', 'bespoke', '--custom')).toMatchObject({
      custom: true,
      requests_per_minute: null,
    });
  });

  it('changes only the given settings of a plan', async () => {
    await run('create', 'growing', '--per-minute', '600', '--per-day', '50000');
    expect(await run('set', 'growing', '--per-day', '700')).toMatchObject({
      requests_per_minute: 600,
      requests_per_day: 700,
    });
    expect(await run('set', 'growing', '--custom')).toMatchObject({
      custom: true,
      requests_per_minute: null,
    });
    expect(await run('set', 'growing', '--no-custom', '--per-minute', '1', '--per-day', '1')).toMatchObject({
      custom: false,
    });
    expect((await petstore(['plans', 'set', 'growing', '--per-day', '8'])).stdout).toMatch(
      /^requests_per_day {5}8$/m,
    );
  });

  it('sets, keeps and removes a monthly limit, which is optional', async () => {
    const limits = ['--per-minute', '6', '--per-day', '50'];
    expect(await run('create', 'monthly', ...limits, '--per-month', '900')).toMatchObject({
      requests_per_month: 900,
    });
    expect(await run('set', 'monthly', '--per-day', '70')).toMatchObject({ requests_per_month: 900 });
    expect(await run('rename', 'monthly', 'by-month')).toMatchObject({ requests_per_month: 900 });
    expect(await run('set', 'by-month', '--per-month', '800')).toMatchObject({ requests_per_month: 800 });
    expect(await run('set', 'by-month', '--per-month', 'none')).toMatchObject({
      requests_per_month: null,
      requests_per_day: 70,
    });
    expect(await petstore(['plans', 'set', 'by-month', '--per-month', '0'])).toMatchObject({ code: 2 });
    expect(await petstore(['plans', 'set', 'by-month', '--per-day', 'none'])).toMatchObject({ code: 2 });
  });

  it('gives a plan another id, with more keys than one statement may change', async () => {
    await run('create', 'before', '--per-minute', '7', '--per-day', '70');
    await query(
      `insert into api_keys (name, plan_id) select 'key ' || n, 'before' from generate_series(1, 150) as n`,
    );
    expect(await run('rename', 'before', 'after')).toMatchObject({
      id: 'after',
      requests_per_minute: 7,
      requests_per_day: 70,
      keys: 150,
    });
    expect((await plans()).map(({ id }) => id)).not.toContain('before');
    const { rows } = await query(
      `select count(*)::int from audit_log
       where table_name = 'api_keys' and old = '{"plan_id": "before"}' and new = '{"plan_id": "after"}'`,
    );
    expect(rows).toEqual([{ count: 150 }]);
    expect(await petstore(['plans', 'rename', 'before', 'again'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plan "before" does not exist\n/),
    });
    expect(await petstore(['plans', 'rename', 'after', 'free'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plan "free" already exists\n/),
    });
    expect(await petstore(['plans', 'rename', 'after', 'Größe'])).toMatchObject({ code: 1 });
    expect((await plans()).map(({ id }) => id)).toContain('after');
  });

  it('says what is missing or wrong, and changes nothing', async () => {
    const before = await plans();
    expect(await petstore(['plans', 'create', 'new', '--per-minute', '3'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^plan "new" needs both [^\n]*\nOr set custom = true \(--custom\)[^\n]*\n$/,
      ),
    });
    expect(await petstore(['plans', 'set', 'new', '--per-minute', '3', '--per-day', '3'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plan "new" does not exist\n[^\n]*petstore plans create\.\n$/),
    });
    expect(await petstore(['plans', 'set', 'free'])).toMatchObject({ code: 2 });
    expect(await petstore(['plans', 'create', 'new'])).toMatchObject({ code: 2 });
    expect(await petstore(['plans', 'set', 'free', '--per-minute', 'many'])).toMatchObject({ code: 2 });
    expect(await plans()).toEqual(before);
  });
});
