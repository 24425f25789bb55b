import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { hasApiKeyForm } from '../../src/auth/keys/api-key.js';
import { selectOne } from '../support/sql-outcome.js';
import { useOperator } from '../support/use-operator.js';

interface Issued {
  readonly id: string;
  readonly key: string;
}

/** The replicas' clock can be moved on. */
const clock = { aheadMs: 0, nowMs: () => Date.now() + clock.aheadMs };
const operator = useOperator({ clock });

const issue = (): Promise<Issued> =>
  selectOne<Issued>(operator.pool, `select id::text, key from issue_api_key(name => 'Acme', plan => 'pro')`);

describe('issue_api_key', () => {
  it('makes a key that works on the next request, on every replica', async () => {
    const { rows } = await operator.pool.query<Issued & { name: string; prefix: string; plan_id: string }>(
      `select * from issue_api_key(name => 'Acme web', plan => 'pro')`,
    );
    expect(rows).toEqual([
      {
        id: expect.any(String),
        key: expect.any(String),
        name: 'Acme web',
        prefix: rows[0]?.key.slice(0, 12),
        plan_id: 'pro',
        requests_per_minute: 300,
        requests_per_day: 10_000,
        expires_at: null,
      },
    ]);
    expect(await operator.responses(rows[0]?.key ?? '')).toEqual({ 200: 2 });
  });

  it('creates unique keys in the form the service checks, and stores only their SHA-256', async () => {
    const made = await operator.pool.query<{ key: string }>(
      `select issued.key from generate_series(1, 300) as n cross join lateral issue_api_key('key ' || n, 'free') as issued`,
    );
    const keys = made.rows.map(({ key }) => key);
    expect(keys.filter(hasApiKeyForm)).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
    const stored = await operator.pool.query<{ prefix: string }>(
      'select prefix from api_key_secrets where hash = any ($1::bytea[])',
      [keys.map((key) => createHash('sha256').update(key).digest())],
    );
    expect(stored.rows.map(({ prefix }) => prefix).sort()).toEqual(
      keys.map((key) => key.slice(0, 12)).sort(),
    );
  });

  it('draws every character of a key from all 62 digits alike', async () => {
    const { rows } = await operator.pool.query<{ text: string }>('select random_base62(12400) as text');
    const counts = new Map<string, number>();
    for (const digit of rows[0]?.text ?? '') counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect([...counts.keys()].sort().join('')).toBe(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    );
    // Each is drawn 200 times, with a standard deviation of 14: seven of them do not happen by chance.
    for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(100);
  });

  it('shows the limits in force of a key with its own numbers', async () => {
    expect(
      await selectOne(
        operator.pool,
        `select requests_per_minute, requests_per_day, expires_at
         from issue_api_key('Acme', 'enterprise', per_minute => 5, per_day => 70, expires => '2099-01-01Z')`,
      ),
    ).toEqual({ requests_per_minute: 5, requests_per_day: 70, expires_at: new Date('2099-01-01Z') });
  });
});

describe('rotate_api_key', () => {
  it('has both secrets work during the overlap, on one set of counters, and the old one expire after it', async () => {
    const old = await issue();
    const rotated = await selectOne<Issued & { old_secrets_expire_at: Date }>(
      operator.pool,
      `select * from rotate_api_key($1, overlap => '2 hours')`,
      [old.id],
    );
    expect(rotated).toMatchObject({ id: old.id, name: 'Acme', prefix: rotated.key.slice(0, 12) });
    expect(hasApiKeyForm(rotated.key)).toBe(true);
    expect(Math.abs(rotated.old_secrets_expire_at.getTime() - Date.now() - 7_200_000)).toBeLessThan(60_000);

    // By the day, of which there are 10,000: the minute may turn.
    const remaining: number[] = [];
    for (const key of [old.key, rotated.key, old.key, rotated.key]) {
      const { status, headers } = await operator.send(key, 0);
      expect(status).toBe(200);
      remaining.push(Number(/"day";r=(\d+)/.exec(String(headers['ratelimit']))?.[1]));
    }
    expect(remaining).toEqual([9999, 9998, 9997, 9996]);

    try {
      clock.aheadMs = rotated.old_secrets_expire_at.getTime() - Date.now() - 30_000;
      expect(await operator.responses(old.key)).toEqual({ 200: 2 });
      clock.aheadMs += 30_000;
      expect(await operator.responses(old.key)).toEqual({ '401 expired_api_key': 2 });
      expect(await operator.responses(rotated.key)).toEqual({ 200: 2 });
    } finally {
      clock.aheadMs = 0;
    }
  });

  it('overlaps for a day by default', async () => {
    const { id } = await issue();
    expect(
      await selectOne(
        operator.pool,
        `select old_secrets_expire_at - statement_timestamp() = interval '24 hours' as a_day from rotate_api_key($1)`,
        [id],
      ),
    ).toEqual({ a_day: true });
  });

  it('without an overlap ends a leaked secret at once', async () => {
    const leaked = await issue();
    const { key } = await selectOne<Issued>(operator.pool, `select key from rotate_api_key($1, '0')`, [
      leaked.id,
    ]);
    expect(await operator.responses(leaked.key)).toEqual({ '401 expired_api_key': 2 });
    expect(await operator.responses(key)).toEqual({ 200: 2 });
  });

  it('never extends the expiry of an old secret', async () => {
    const first = await issue();
    const second = await selectOne<Issued>(operator.pool, `select key from rotate_api_key($1, '1 hour')`, [
      first.id,
    ]);
    const third = await selectOne<Issued>(operator.pool, `select key from rotate_api_key($1, '3 hours')`, [
      first.id,
    ]);
    const { rows } = await operator.pool.query<{ prefix: string; hours: number | null }>(
      `select prefix, ceil(extract(epoch from expires_at - statement_timestamp()) / 3600)::int as hours
       from api_key_secrets where api_key_id = $1 order by created_at`,
      [first.id],
    );
    expect(rows).toEqual([
      { prefix: first.key.slice(0, 12), hours: 1 },
      { prefix: second.key.slice(0, 12), hours: 3 },
      { prefix: third.key.slice(0, 12), hours: null },
    ]);
  });

  it('by two operators at once leaves one secret unexpiring', async () => {
    const { id } = await issue();
    await Promise.all([1, 2, 3, 4].map(() => operator.pool.query('select rotate_api_key($1)', [id])));
    expect(
      await selectOne(
        operator.pool,
        `select count(*)::int as secrets, count(*) filter (where expires_at is null)::int as endless
         from api_key_secrets where api_key_id = $1`,
        [id],
      ),
    ).toEqual({ secrets: 5, endless: 1 });
  });

  it('gives a key that was made by a plain insert its first secret', async () => {
    const { id } = await selectOne<{ id: string }>(
      operator.pool,
      `insert into api_keys (name, plan_id) values ('by hand', 'free') returning id::text`,
    );
    const { key, ...rest } = await selectOne<Issued>(
      operator.pool,
      'select key, old_secrets_expire_at from rotate_api_key($1)',
      [id],
    );
    expect(rest).toEqual({ old_secrets_expire_at: null });
    expect(await operator.responses(key)).toEqual({ 200: 2 });
  });
});
