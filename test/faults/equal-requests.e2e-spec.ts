import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { holdOpen, type OperatorAtWork } from '../support/operators.js';
import { processTimeMs } from '../support/process-time.js';
import { startService, type TestService } from '../support/service.js';

let database: TestDatabase;
let service: TestService;
let key: string;
let locked: OperatorAtWork<void> | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  service = await startService({ databaseUrl: database.url, provokes503: true });
  ({ key } = await service.issueKey());
});

afterEach(async () => {
  await locked?.stop();
  await service.close();
  await database.drop();
});

const post = async (claim: string): Promise<{ readonly status: number; readonly ms: number }> => {
  const begunAt = processTimeMs();
  const { status } = await service.fetch('/v1/pets', {
    method: 'POST',
    key,
    body: '{"name":"Rex","categoryId":1}',
    headers: { 'content-type': 'application/json', 'idempotency-key': claim },
  });
  return { status, ms: processTimeMs() - begunAt };
};

describe('ten equal requests while a lock keeps the first one from being done', () => {
  it('are all answered 503 in two seconds, instead of one after another, and done once afterwards', async () => {
    locked = await holdOpen(database.url, 'lock table pets in access exclusive mode', []);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('one')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503));
    for (const { ms } of answers) expect(ms).toBeLessThan(2000);

    await locked.stop();
    locked = undefined;
    const repeats = await Promise.all(Array.from({ length: 10 }, () => post('one')));
    expect(repeats.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    const { rows } = await service.pool.query('select from pets');
    expect(rows).toHaveLength(1);
  });
});
