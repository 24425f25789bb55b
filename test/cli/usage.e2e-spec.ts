import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { issueKeys } from '../support/issue-keys.js';
import { PRESENT_COUNTERS } from '../support/present-counters.js';
import { useDatabase } from '../support/use-service.js';
import { json, type Petstore, petstoreOn } from './support/petstore.js';

/** The clock of the commands stands still, so that no hour begins while the file runs. */
const NOW_MS = Date.now();

const database = useDatabase(1);
let petstore: Petstore;

beforeAll(async () => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW_MS);
  petstore = petstoreOn(database.url);
  await issueKeys(database.pool, 3, { plan: 'pro' });
  await database.pool.query(
    `insert into api_key_usage_hours
     select date_trunc('hour', to_timestamp($1::float8 / 1000), 'UTC') - ago * interval '1 hour', key, operation, outcome, requests, 10
     from (values
       (0, 1, 'listPets', 'success', 8), (1, 1, 'listPets', 'success', 4), (1, 1, 'createPet', 'client_error', 1),
       (2, 2, 'listPets', 'limited', 20), (100, 3, 'listPets', 'success', 99)) as v (ago, key, operation, outcome, requests)`,
    [NOW_MS],
  );
  await database.pool.query(
    `insert into api_key_bans values (2, now() - interval '2 hours', now() - interval '1 hour', 300, 10000),
       (3, now() - interval '3 days', now() - interval '2 days', 300, 10000)`,
  );
  await database.pool.query(
    `update api_key_counters set ${PRESENT_COUNTERS},
       day_admitted = 9000 where api_key_id = 1`,
  );
});
afterAll(() => void jest.restoreAllMocks());

const run = (...words: readonly string[]) => petstore(['usage', ...words]);

async function lines(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(...words);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n').slice(2);
}

const hour = (ago: number): string =>
  new Date(Math.floor(NOW_MS / 3_600_000 - ago) * 3_600_000).toISOString();

const of = (from: number, to: number) => ['--since', hour(from), '--until', hour(to)];

describe('petstore usage', () => {
  it('top lists the keys with most requests, over the time', async () => {
    const rows = await lines('top');
    expect(rows).toEqual([
      expect.stringMatching(/^ *2 {2}test 2 {2}pro +20 +0 +0 +0 +20 +0 +0 +0 +0$/),
      expect.stringMatching(/^ *1 {2}test 1 {2}pro +13 +12 +1 +0 +0 +0 +0 +0 +0$/),
    ]);
    expect(await lines('top', '--since', '1s')).toEqual([
      expect.stringMatching(/^ *1 {2}test 1 {2}pro +8 +/),
    ]);
    expect((await lines('top', '--since', '7d'))[0]).toMatch(/^ *3 {2}test 3 {2}pro +99 +/);
  });

  it('keys show has the outcomes of the last 24 hours', async () => {
    await database.pool.query(
      `insert into api_key_usage_hours values (date_trunc('hour', now(), 'UTC'), 3, 'listPets', 'undecided', 17, 1),
         (date_trunc('hour', now(), 'UTC'), 3, 'getPet', 'limited', 2, 1)`,
    );
    const { stdout } = await petstore(['keys', 'show', '3']);
    expect(stdout).toMatch(/^outcomes_24h +undecided 17, limited 2$/m);
    expect(await json(petstore(['keys', 'show', '3', '--json']))).toMatchObject({
      outcomes_24h: { undecided: 17, limited: 2 },
    });
    await database.pool.query(
      `delete from api_key_usage_hours where api_key_id = 3 and outcome in ('undecided', 'limited')`,
    );
  });

  it('hours shows the requests of a key by hour, operation and outcome', async () => {
    const [now, before] = [0, 1].map((ago) => hour(ago).replace('.000', ''));
    expect(await lines('hours', '1')).toEqual([
      expect.stringMatching(new RegExp(`^${before} +createPet +client_error {9}1 {5}10\\.0$`)),
      expect.stringMatching(new RegExp(`^${before} +listPets +success {14}4 {6}2\\.5$`)),
      expect.stringMatching(new RegExp(`^${now} +listPets +success {14}8 {6}1\\.3$`)),
    ]);
    expect(await json(run('hours', '2', '--json'))).toEqual([
      { hour: expect.any(String), operation: 'listPets', outcome: 'limited', requests: 20, mean_ms: '0.5' },
    ]);
    expect((await run('hours', '3')).stdout).toBe('No requests.\n');
  });

  it('hours shows a time in the past, in whole hours', async () => {
    expect(await lines('hours', '1', ...of(1, 0))).toEqual([
      expect.stringMatching(/ +createPet +client_error +1 /),
      expect.stringMatching(/ +listPets +success +4 /),
    ]);
    expect(await lines('hours', '3', ...of(102, 97))).toHaveLength(1);
    expect((await run('hours', '1', ...of(30, 20))).stdout).toBe('No requests.\n');
    expect(await json(run('hours', '1', ...of(1, 0), '--json'))).toHaveLength(2);
  });

  it.each([['hours', '1'], ['deprecated']])(
    '%s %s rejects a time that ends before it begins',
    async (...words) => {
      expect(await run(...words.filter(Boolean), ...of(0, 1))).toEqual({
        code: 2,
        stdout: '',
        stderr: '--since must be before --until.\n',
      });
    },
  );

  it('near-limit lists who has used most of a limit', async () => {
    expect(await lines('near-limit')).toEqual([
      expect.stringMatching(/^ *1 {2}test 1 {2}pro +0\/300 +9000\/10000 +\d{4}-/),
    ]);
    expect(await lines('near-limit', '--above', '80')).toHaveLength(1);
    expect((await run('near-limit', '--above', '90')).stdout).toBe('No key.\n');
  });

  it('bans lists them with the limits that the key had', async () => {
    expect(await lines('bans')).toEqual([expect.stringMatching(/^ *2 {2}test 2 {2}pro .* no +300 +10000$/)]);
    expect(await lines('bans', '--since', '7d')).toHaveLength(2);
  });

  it('deprecated lists who called a deprecated operation in a time', async () => {
    expect((await run('deprecated')).stdout).toBe('No key called a deprecated operation.\n');
    await database.pool.query(
      `insert into api_key_usage_hours
       select date_trunc('hour', to_timestamp($1::float8 / 1000), 'UTC') - ago * interval '1 hour', key, 'getPet', outcome, requests, 1
       from (values (0, 2, 'success', 4), (30, 2, 'client_error', 3), (30, 1, 'success', 5), (30, 3, 'limited', 9)) as v (ago, key, outcome, requests)`,
      [NOW_MS],
    );
    expect(await lines('deprecated')).toEqual([
      expect.stringMatching(/^ *2 {2}test 2 {2}pro +getPet +7 {2}\S+Z {2}\S+Z$/),
      expect.stringMatching(/^ *1 {2}test 1 {2}pro +getPet +5 {2}/),
    ]);
    const past = await lines('deprecated', ...of(31, 29));
    expect(past).toEqual([expect.stringMatching(/ +5 {2}/), expect.stringMatching(/ +3 {2}/)]);
    expect(await json(run('deprecated', '--since', '1h', '--json'))).toMatchObject([
      { operation: 'getPet', api_key_id: 2, requests: 4 },
    ]);
    await database.pool.query(`delete from api_key_usage_hours where operation = 'getPet'`);
  });

  it.each([
    [['top', '--since', 'yesterday'], 2, /argument 'yesterday' is invalid. It must be a valid time/],
    [['hours', 'psk_short'], 2, /It must be an id such as 7/],
    [['hours', '99'], 1, /^key 99 does not exist/],
  ])('%j says what is wrong', async (words, code, message) => {
    expect(await run(...words)).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });

  it.each([
    [
      'noisy',
      'update api_key_counters set day_refused = 7 where api_key_id = 1',
      /^ *1 {2}test 1 {2}pro +7 +9000 {2}- /,
    ],
    [
      'flooding',
      `insert into api_key_usage_hours values (date_trunc('hour', now(), 'UTC'), 2, 'none', 'banned', 31, 1)`,
      /^ *2 {2}test 2 {2}pro +31 +0 +31 +0 {2}live +-$/,
    ],
    [
      'unused',
      `insert into api_keys (name, plan_id, created_at) values ('old', 'pro', now() - interval '100 days')`,
      /^ *4 {2}old +pro +- +\d{4}-\S+Z {2}-$/,
    ],
    [
      'expiring',
      `update api_keys set expires_at = now() + interval '3 days' where id = 3`,
      /^ *3 {2}test 3 {2}pro +key +- +\d{4}-\S+Z$/,
    ],
  ])('%s lists what the view has', async (list, change, line) => {
    expect(await petstore(['usage', list])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S.*\.\n$/),
    });
    await database.pool.query(change);
    expect(await lines(list)).toEqual([expect.stringMatching(line)]);
    expect(await json<unknown[]>(petstore(['usage', list, '--json']))).toHaveLength(1);
  });
});
