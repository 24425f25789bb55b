import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type ApiResponse, sendUntilDecided, tally } from './support/send.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { issueKeys, type TestKey } from './support/issue-keys.js';
import { type Replica, startReplica } from './support/replicas.js';
import { startService, type TestService } from './support/service.js';
import { openTestPool } from './support/test-pool.js';
import { cases } from './support/cases.js';

/** All rejections here are of one address, whose own limit another test covers. */
const ENVIRONMENT = { ADDRESS_LIMIT_PER_MINUTE: '1000000', BAN_SECONDS: '3600' };

/** Three replicas on one database: two in this process, which is cheaper, and one in its own. */
let database: TestDatabase;
let operator: Pool;
let services: readonly TestService[];
let replica: Replica;
let origins: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  const databaseUrl = database.url;
  operator = openTestPool(databaseUrl, { max: 10 });
  await operator.query(`insert into plans values ('other', 40, 4000)`);
  const options = { databaseUrl, environment: ENVIRONMENT };
  services = await Promise.all([startService(options), startService(options)]);
  replica = await startReplica(options);
  origins = [...services, replica].map(({ origin }) => origin);
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await replica.stop();
  await operator.end();
  await database.drop();
});

/** A change of the key $1, and the outcome of the first request after it on each replica. */
interface Step {
  readonly sql: string;
  readonly says: string;
  /** The `X-RateLimit-Limit` of those responses. */
  readonly limit?: number;
}

const CHANGES: readonly (readonly [what: string, ...Step[]])[] = [
  [
    "the plan's numbers",
    { sql: ofPlan('requests_per_minute = 800'), says: '200', limit: 800 },
    { sql: ofPlan('requests_per_day = 700'), says: '200', limit: 700 },
    // Fewer than were admitted already.
    { sql: ofPlan('requests_per_day = 2'), says: '429 rate_limit_exceeded', limit: 2 },
    { sql: ofPlan('requests_per_minute = 500, requests_per_day = 5000'), says: '200', limit: 500 },
  ],
  ["the key's plan", { sql: ofKey(`plan_id = 'other'`), says: '200', limit: 40 }],
  [
    "the key's own numbers",
    { sql: ofKey('requests_per_minute = 90'), says: '200', limit: 90 },
    { sql: ofKey('requests_per_day = 3'), says: '429 rate_limit_exceeded', limit: 3 },
    { sql: ofKey('requests_per_minute = null, requests_per_day = null'), says: '200', limit: 500 },
  ],
  [
    'a revocation',
    { sql: ofKey('revoked_at = now()'), says: '401 revoked_api_key' },
    { sql: ofKey('revoked_at = null'), says: '200', limit: 500 },
  ],
  [
    "the key's expiry",
    { sql: ofKey('expires_at = now()'), says: '401 expired_api_key' },
    { sql: ofKey(`expires_at = now() + interval '1 hour'`), says: '200', limit: 500 },
  ],
  [
    "the secret's expiry",
    { sql: ofSecret(`expires_at = now() + interval '1 hour'`), says: '200', limit: 500 },
    { sql: ofSecret('expires_at = now()'), says: '401 expired_api_key' },
  ],
  [
    'a suspension',
    { sql: ofKey(`suspended_until = now() + interval '1 hour'`), says: '403 api_key_suspended' },
    { sql: ofKey('suspended_until = now()'), says: '200', limit: 500 },
  ],
];

function ofKey(assignments: string): string {
  return `update api_keys set ${assignments} where id = $1`;
}

function ofSecret(assignments: string): string {
  return `update api_key_secrets set ${assignments} where api_key_id = $1`;
}

function ofPlan(assignments: string): string {
  return `update plans set ${assignments} where id = (select plan_id from api_keys where id = $1)`;
}

describe('what an operator commits holds for the next request on each of three replicas', () => {
  it.each(CHANGES)('%s', async (_what, ...steps) => {
    const key = await issueKey();
    await expectEach(key, { says: '200', limit: 500 });
    for (const step of steps) {
      await operator.query(step.sql, [key.id]);
      await expectEach(key, step);
    }
  });

  it('a revocation, in races with requests: none that began after the commit is admitted', async () => {
    const keys = await issueKeys(operator, cases(400));
    const line = keys.entries();
    const raced: ApiResponse[] = [];
    const after: ApiResponse[] = [];
    const race = async (): Promise<void> => {
      for (const [round, key] of line) {
        const responses = await raceWithRevocation(key, round % TURNS_MAX);
        raced.push(...responses.begunBefore);
        after.push(...responses.begunAfter);
      }
    };
    await Promise.all(Array.from({ length: 10 }, race));

    expect(tally(after)).toEqual({ '401 revoked_api_key': 3 * keys.length });
    // Otherwise there was no race.
    expect(Object.keys(tally(raced)).sort()).toEqual(['200', '401 revoked_api_key']);
  });
});

/** A key on a plan that no other key is on: 500 a minute and 5,000 a day. */
async function issueKey(): Promise<TestKey> {
  const plan = `plan-${randomUUID()}`;
  await operator.query('insert into plans values ($1, 500, 5000)', [plan]);
  const [key] = await issueKeys(operator, 1, { plan });
  if (key === undefined) throw new Error('no key was issued');
  return key;
}

async function expectEach({ key }: TestKey, { says, limit }: Omit<Step, 'sql'>): Promise<void> {
  const responses = await Promise.all(origins.map((origin) => sendUntilDecided(origin, { key })));
  expect(tally(responses)).toEqual({ [says]: 3 });
  if (limit !== undefined) expect(responses.map((response) => response.limit)).toEqual([limit, limit, limit]);
}

/** The head start of the requests in a race, in turns of the event loop. */
const TURNS_MAX = 12;

/** Revokes a key while each replica gets requests, the last one after the commit. */
async function raceWithRevocation({ id, key }: TestKey, turns: number) {
  const begunBefore: ApiResponse[] = [];
  const begunAfter: ApiResponse[] = [];
  let committed = false;
  const client = async (origin: string): Promise<void> => {
    for (let isLast = false; !isLast;) {
      isLast = committed;
      const response = await sendUntilDecided(origin, { key });
      (isLast ? begunAfter : begunBefore).push(response);
    }
  };
  const revoke = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    await operator.query(ofKey('revoked_at = now()'), [id]);
    committed = true;
  };
  await Promise.all([...origins.map(client), revoke()]);
  return { begunBefore, begunAfter };
}
