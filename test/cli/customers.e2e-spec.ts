import { describe, expect, it } from '@jest/globals';
import { PRESENT_COUNTERS } from '../support/present-counters.js';
import { json } from './support/petstore.js';
import { type PrintedKey, usePetstore } from './support/use-petstore.js';

const { petstore, query } = usePetstore();

interface CustomerKey extends PrintedKey {
  readonly customer: string | null;
  readonly access: string;
}

const issueFor = (customer: string, ...more: string[]): Promise<CustomerKey> =>
  json(
    petstore(['keys', 'issue', '--name', 'Web', '--plan', 'free', '--json', '--customer', customer, ...more]),
  );

const change = (...words: string[]): Promise<CustomerKey> => json(petstore([...words, '--json']));

const use = (id: number, minute: number, day: number): Promise<unknown> =>
  query(
    `update api_key_counters set ${PRESENT_COUNTERS},
       minute_admitted = $2, day_admitted = $3 where api_key_id = $1`,
    [id, minute, day],
  );

describe('the customer of a key', () => {
  it('is set at its issue, listed, shown and audited', async () => {
    const issued = await issueFor('crm-1', '--read-only');
    expect(issued).toMatchObject({ customer: 'crm-1', access: 'read' });
    const id = String(issued.id);
    const listed = await json<CustomerKey[]>(petstore(['keys', 'list', '--customer', 'crm-1', '--json']));
    expect(listed).toMatchObject([{ id: issued.id, customer: 'crm-1', access: 'read' }]);
    expect((await petstore(['keys', 'list', '--customer', 'crm'])).stdout).toBe('No keys found.\n');
    expect((await petstore(['keys', 'list', '--customer', 'crm-1'])).stdout).toMatch(
      /^ *id +name +customer +prefix /,
    );
    expect((await petstore(['keys', 'show', id])).stdout).toMatch(/^customer +crm-1$/m);
    expect((await petstore(['audit', id])).stdout).toContain('crm-1');
  });

  it('changes, with what was before in the audit; what the key has used stays with it', async () => {
    const { id } = await issueFor('crm-2');
    await use(id, 3, 30);
    const renamed = await change('keys', 'rename', String(id), 'Acme mobile');
    expect(renamed).toMatchObject({ name: 'Acme mobile', customer: 'crm-2', day_admitted: 30 });
    const moved = await change('keys', 'set-customer', String(id), 'crm-3');
    expect(moved).toMatchObject({ name: 'Acme mobile', customer: 'crm-3', day_admitted: 30 });
    expect(await change('keys', 'set-customer', String(id), '--none')).toMatchObject({ customer: null });
    const { rows } = await query(
      `select old, new from audit_log where api_key_id = $1 and table_name = 'api_keys' and action = 'update' order by id`,
      [id],
    );
    expect(rows).toEqual([
      { old: { name: 'Web' }, new: { name: 'Acme mobile' } },
      { old: { customer: 'crm-2' }, new: { customer: 'crm-3' } },
      { old: { customer: 'crm-3' }, new: { customer: null } },
    ]);
  });

  it.each([
    [['set-customer', '1'], 2, /Pass the customer, or --none/],
    [['set-customer', '1', 'crm-1', '--none'], 2, /Pass the customer, or --none/],
    [['set-customer', '1', ' '], 1, /the customer of a key must have 1 to 100 characters/],
    [['set-customer', '1', 'x'.repeat(101)], 1, /the customer of a key must have 1 to 100 characters/],
    [['set-customer', '1', 'a\u001b[2J'], 1, /the customer of a key must have .+ no control characters/],
    [['rename', '1', ''], 1, /the name of a key must have 1 to 255 characters/],
    [['set-customer', '987654321', 'crm-1'], 1, /does not exist/],
  ])('is rejected with what is wrong: %j', async (words, code, fault) => {
    await issueFor('crm-4');
    expect(await petstore(['keys', ...words])).toMatchObject({ code, stderr: expect.stringMatching(fault) });
  });

  it('sums up the use of all keys of each customer', async () => {
    const [one, other, alone] = [await issueFor('crm-5'), await issueFor('crm-5'), await issueFor('crm-6')];
    await use(one.id, 1, 900);
    await use(other.id, 5, 5);
    await use(alone.id, 60, 700);
    await query(
      `insert into api_key_usage_hours (hour, api_key_id, operation, outcome, requests, total_ms)
       values (this_hour(), $1, 'listPets', 'success', 900, 1), (this_hour(), $2, 'getPet', 'limited', 5, 1),
         (this_hour(), $3, 'getPet', 'success', 60, 1), (this_hour() - interval '30 hours', $3, 'getPet', 'success', 5000, 1)`,
      [one.id, other.id, alone.id],
    );
    expect(await json(petstore(['usage', 'customers', '--json']))).toMatchObject([
      { customer: 'crm-5', keys: 2, near_limit_keys: 1, requests: 905, success: 900, limited: 5 },
      { customer: 'crm-6', keys: 1, near_limit_keys: 0, requests: 60, success: 60, limited: 0 },
    ]);
    const { stdout } = await petstore(['usage', 'customers', '--since', '7d']);
    expect(stdout.split('\n').slice(2, 4)).toEqual([
      expect.stringMatching(/^crm-6 +1 +0 +5060 +5060 /),
      expect.stringMatching(/^crm-5 +2 +1 +905 +900 /),
    ]);
    const nearOf = async (customer: string): Promise<unknown[]> =>
      (
        await json<{ api_key_id: number }[]>(
          petstore(['usage', 'near-limit', '--above', '80', '--customer', customer, '--json']),
        )
      ).map((key) => key.api_key_id);
    expect(await nearOf('crm-5')).toEqual([one.id]);
    expect(await nearOf('crm-6')).toEqual([alone.id]);
    const { rows } = await query(
      `select keys, live_keys, near_limit_keys, day_admitted from customer_overview where customer = 'crm-5'`,
    );
    expect(rows).toEqual([{ keys: '2', live_keys: '2', near_limit_keys: '1', day_admitted: '905' }]);
  });
});

describe('issue_customer_api_keys', () => {
  it('issues keys with and without a customer, in their order', async () => {
    const { rows } = await query<{ id: string }>(
      `select * from issue_customer_api_keys(array['crm-7', null], '{one,two}', plan => 'free')`,
    );
    const listed = await query(`select name, customer from api_keys where id = any ($1) order by id`, [
      rows.map(({ id }) => id),
    ]);
    expect(listed.rows).toEqual([
      { name: 'one', customer: 'crm-7' },
      { name: 'two', customer: null },
    ]);
  });

  it('takes as many customers as names', async () => {
    await expect(
      query(`select * from issue_customer_api_keys('{crm-7}', '{one,two}', plan => 'free')`),
    ).rejects.toThrow('there are 1 customers for 2 names');
  });

  it.each([`'crm-9'`, 'null'])('issues no key for each column of a statement, of customer %s', async (of) => {
    const statement = `select (issue_customer_api_key(${of}, 'Once', 'free')).*`;
    await expect(query(statement)).rejects.toThrow('a second secret for "Once"');
    expect((await query(`select from api_keys where name = 'Once'`)).rowCount).toBe(0);
  });
});
