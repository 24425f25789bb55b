import { jest } from '@jest/globals';
import { Client } from 'pg';
import { warmUpOf } from '../../src/prisma/warm-up.js';
import { Housekeeping } from '../../src/lifecycle/housekeeping.js';
import { PROVOCATIONS, withHeaders } from '../conformance/provocations.js';
import { REQUESTS } from '../conformance/requests.js';
import { type Request, setStage, type Stage } from '../conformance/stage.js';

/** The rest (begin, set and the like) depends on no schema. */
const STATEMENT = /^(?:\s|--[^\n]*\n)*(?:select|insert|update|delete|with|merge)\b/i;

/**
 * The texts of the statements that a running service sends, as the driver gets them: each operation is asked for, POSTs with an
 * Idempotency-Key as well, first and again; a key is met that has no counters; and what keeps house runs once.
 */
export async function statementsInUse(): Promise<readonly string[]> {
  const stage = await setStage();
  const withoutCounters = await issueWithoutCounters(stage);
  const queries = jest.spyOn(Client.prototype, 'query');
  try {
    for (const request of Object.values(REQUESTS)) {
      const { method } = await send(stage, request(stage));
      if (method !== 'POST') continue;
      await send(stage, await PROVOCATIONS.idempotency_key_reused(request(stage), stage));
    }
    const asked = { method: 'GET', target: '/v1/usage', headers: { Host: 'petstore.example' } };
    await send(stage, withHeaders(asked, { Authorization: `Bearer ${withoutCounters}` }));
    const { prisma } = stage.ordinary;
    // What only locked rows would provoke.
    await warmUpOf(prisma, () => undefined).onApplicationBootstrap();
    await stage.ordinary.app.get(Housekeeping, { strict: false }).run();
    const texts = queries.mock.calls
      .map(([query]) => textOf(query))
      .filter((text) => typeof text === 'string');
    return [...new Set(texts)].filter((text) => STATEMENT.test(text)).sort();
  } finally {
    queries.mockRestore();
    await stage.close();
  }
}

async function send(stage: Stage, request: Request): Promise<Request> {
  await stage.send(request);
  return request;
}

async function issueWithoutCounters({ ordinary }: Stage): Promise<string> {
  const { id, key } = await ordinary.issueKey();
  await ordinary.pool.query('delete from api_key_counters where api_key_id = $1', [id]);
  return key;
}

const textOf = (query: unknown): unknown =>
  typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
