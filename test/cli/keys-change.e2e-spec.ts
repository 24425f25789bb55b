import { describe, expect, it } from '@jest/globals';
import { json } from './support/petstore.js';
import { type PrintedKey, usePetstore } from './support/use-petstore.js';

const { petstore, issue, query } = usePetstore();
const show = (id: number): Promise<PrintedKey> =>
  json<PrintedKey>(petstore(['keys', 'show', String(id), '--json']));

describe('petstore keys rotate', () => {
  it.each([
    [['rotate', '--overlap', '2h'], 7200],
    [['rotate'], 86_400],
    [['extend-overlap', '--overlap', '2h'], 7200],
  ])('makes a second secret, or lets the first work on: %j', async ([command = '', ...options], seconds) => {
    const { id, key } = await issue();
    if (command === 'extend-overlap') await petstore(['keys', 'rotate', String(id), '--overlap', '1h']);
    const before = Date.now();
    const changed = await json<PrintedKey & { old_secrets_expire_at: string }>(
      petstore(['keys', command, String(id), ...options, '--json']),
    );
    const endsMs = Date.parse(changed.old_secrets_expire_at) - seconds * 1000;
    expect(endsMs).toBeGreaterThanOrEqual(before);
    expect(endsMs).toBeLessThanOrEqual(Date.now());
    const { secrets, prefix } = await show(id);
    expect(secrets).toBe(2);
    if (command === 'rotate') expect(changed.key.slice(0, 12)).toBe(prefix);
    expect(prefix).not.toBe(key.slice(0, 12));
  });

  it('asks before it ends the old secrets at once', async () => {
    const { id } = await issue();
    const args = ['keys', 'rotate', String(id), '--overlap', '0'];
    expect(await petstore(args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--yes/) });
    expect(await petstore(args, { reply: 'n' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Nothing was changed/),
    });
    expect(await show(id)).toMatchObject({ secrets: 1 });
    expect((await petstore([...args, '--yes'])).code).toBe(0);
    expect(await show(id)).toMatchObject({ secrets: 1 });
  });

  it.each(['1', '-1h', 'h', '1y', '99999w', ''])('takes no overlap of %j', async (overlap) => {
    expect(await petstore(['keys', 'rotate', '1', `--overlap=${overlap}`])).toMatchObject({ code: 2 });
  });
});

describe('petstore keys revoke', () => {
  it('asks, shows which key it is, and revokes it', async () => {
    const { id, prefix } = await issue('Old customer');
    const args = ['keys', 'revoke', String(id)];
    const rejected = await petstore(args);
    expect(rejected).toMatchObject({ code: 2, stdout: '' });
    expect(rejected.stderr).toContain(`This permanently revokes key ${id} (Old customer, ${prefix}).`);
    expect((await petstore(args, { reply: '' })).code).toBe(1);
    expect(await show(id)).toMatchObject({ state: 'live' });
    const { code, stdout } = await petstore(args, { reply: 'yes' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^state {16}revoked$/m);
    expect(await json<PrintedKey>(petstore([...args, '--yes', '--json']))).toMatchObject({
      id,
      state: 'revoked',
    });
  });
});

describe('petstore keys set-plan and set-limits', () => {
  it("moves a key to another plan, with the plan's limits or its own", async () => {
    const { id } = await issue('mover', 'free');
    expect(await json(petstore(['keys', 'set-plan', String(id), 'business', '--json']))).toMatchObject({
      plan_id: 'business',
      requests_per_minute: 1000,
      own_limits: false,
    });
    expect(
      await json(
        petstore([
          'keys',
          'set-plan',
          String(id),
          'enterprise',
          '--per-minute',
          '7',
          '--per-day',
          '8',
          '--json',
        ]),
      ),
    ).toMatchObject({ plan_id: 'enterprise', requests_per_minute: 7, requests_per_day: 8 });
    expect(await petstore(['keys', 'set-plan', String(id), 'gold'])).toMatchObject({ code: 1 });
  });

  it('changes the limit that is given and leaves the other', async () => {
    const { id } = await issue('limited', 'pro');
    const set = (...args: string[]): Promise<PrintedKey> =>
      json<PrintedKey>(petstore(['keys', 'set-limits', String(id), ...args, '--json']));
    expect(await set('--per-minute', '600')).toMatchObject({
      requests_per_minute: 600,
      requests_per_day: 10_000,
    });
    expect(await set('--per-day', '5000')).toMatchObject({
      requests_per_minute: 600,
      requests_per_day: 5000,
    });
    expect(await set('--per-minute', 'plan')).toMatchObject({
      requests_per_minute: 300,
      requests_per_day: 5000,
    });
    expect(await set('--per-minute', 'plan', '--per-day', 'plan')).toMatchObject({ own_limits: false });
    expect(await petstore(['keys', 'set-limits', String(id)])).toMatchObject({ code: 2 });
    expect(await petstore(['keys', 'set-limits', '987654321', '--per-day', '5'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^key 987654321 does not exist\n/),
    });
  });
});

describe('petstore keys suspend, resume and unban', () => {
  it('suspends for a while, until a time or until it is resumed', async () => {
    const { id } = await issue();
    const suspend = (...args: string[]): Promise<PrintedKey> =>
      json<PrintedKey>(petstore(['keys', 'suspend', String(id), ...args, '--json']));
    expect(await suspend()).toMatchObject({ state: 'suspended', suspended_until: 'infinity' });
    expect(await suspend('--until', '2099-01-01T00:00:00Z')).toMatchObject({
      suspended_until: '2099-01-01T00:00:00.000Z',
    });
    const { suspended_until: until } = await suspend('--for', '30m');
    expect(Math.abs(Date.parse(until ?? '') - Date.now() - 1_800_000)).toBeLessThan(60_000);
    expect(await petstore(['keys', 'suspend', String(id), '--until', '2020-01-01T00:00:00Z'])).toMatchObject({
      code: 1,
    });
    expect(await json(petstore(['keys', 'resume', String(id), '--json']))).toMatchObject({ state: 'live' });
  });

  it('lifts a ban', async () => {
    const { id } = await issue();
    await query(
      `update api_key_counters
       set minute = date_trunc('minute', now()), day = (now() at time zone 'UTC')::date,
           banned_at = now(), banned_until = now() + interval '1 hour'
       where api_key_id = $1`,
      [id],
    );
    expect(await show(id)).toMatchObject({ state: 'banned', banned_until: expect.any(String) });
    expect(await json(petstore(['keys', 'unban', String(id), '--json']))).toMatchObject({
      state: 'live',
      banned_until: null,
    });
  });
});
