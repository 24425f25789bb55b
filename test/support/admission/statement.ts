import { afterAll, beforeAll } from '@jest/globals';
import type { Pool } from 'pg';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';
import type { KeyWindow } from '../../../src/auth/admission/windows.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { openTestPool } from '../test-pool.js';
import { insertKey, insertSecret, readCounted } from './rows.js';
import { WholeAdmissionStatement } from './whole-admission-statement.js';

export const POLICY = { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 };
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const NOON = Date.parse('2026-11-20T12:00:00Z');
export const NOON_MINUTE_END = NOON + MINUTE_MS;
export const MIDNIGHT = Date.parse('2026-11-21T00:00:00Z');

export type Key = { readonly id: bigint; readonly hash: string };

export const times = (count: number, hash: string): string[] => Array<string>(count).fill(hash);

export const states = (decisions: readonly KeyDecision[]): string[] => decisions.map(({ state }) => state);

/** The test file's own: its hooks make and drop it. */
export let database: TestDatabase;

/** On that database. */
export let pool: Pool;
export let statement: WholeAdmissionStatement;
export const warnings: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 4 });
  statement = new WholeAdmissionStatement({ queryable: pool, named: true }, POLICY, {
    warn: (message) => warnings.push(message),
  });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

export async function makeKey(planId = 'free', own: Partial<Record<KeyWindow, number>> = {}): Promise<Key> {
  const id = await insertKey(pool, planId, own);
  return { id, hash: await insertSecret(pool, id) };
}

/** Requests with one secret at an instant, in one group. */
export const decide = (hash: string, count: number, atMs: number): Promise<readonly KeyDecision[]> =>
  statement.decide(times(count, hash), new Date(atMs));

export async function sendOnce(hash: string, atMs: number): Promise<KeyDecision> {
  const [decision] = await decide(hash, 1, atMs);
  if (decision === undefined) throw new Error('no decision');
  return decision;
}

export async function countersOf(key: Key) {
  const [counted] = await readCounted(pool, [key.id]);
  if (counted === undefined) throw new Error('no such key');
  return counted;
}

/** Bans a key of one request a minute, in a minute in which it has not asked yet. */
export const ban = (key: Key, atMs: number): Promise<readonly KeyDecision[]> =>
  decide(key.hash, 1 + 20, atMs);

export const operate = (sql: string, key: Key): Promise<unknown> => pool.query(sql, [key.id]);
