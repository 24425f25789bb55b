import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PrismaService } from '../database/prisma.service.js';
import { ServedDocument } from './served-document.js';

const FREE = { id: 'free', requestsPerMinute: 60, requestsPerDay: 1000 };

describe('the plans in the document', () => {
  const findMany = jest.fn<() => Promise<readonly object[]>>();
  let document: ServedDocument;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    findMany.mockReset().mockResolvedValue([{ ...FREE, requestsPerMonth: null }]);
    const pools = { reads: { run: (send: () => unknown) => send() } };
    document = new ServedDocument({ plan: { findMany }, pools } as unknown as PrismaService);
    document.document = { info: { description: 'Pets.' }, paths: {}, components: { schemas: {} } };
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const shown = async (): Promise<unknown> => {
    const { json } = await document.texts();
    const reply = { header: () => undefined, request: { headers: {} } };
    const text = await json.for(reply);
    return (JSON.parse(String(text)) as { 'x-plans'?: unknown })['x-plans'];
  };

  it('are read at most once a minute, however many requests there are', async () => {
    expect(await Promise.all([shown(), shown()])).toEqual([[FREE], [FREE]]);
    jest.advanceTimersByTime(59_999);
    await shown();
    expect(findMany).toHaveBeenCalledTimes(1);
    findMany.mockResolvedValue([{ ...FREE, requestsPerMinute: 90 }]);
    jest.advanceTimersByTime(1);
    expect(await shown()).toEqual([{ ...FREE, requestsPerMinute: 90 }]);
  });

  it('show a monthly limit only if one of them has it', async () => {
    const plans = [
      { ...FREE, requestsPerMonth: null },
      { id: 'pro', requestsPerMinute: 300, requestsPerDay: 10_000, requestsPerMonth: 100_000 },
      { id: 'enterprise', requestsPerMinute: null, requestsPerDay: null, requestsPerMonth: null },
    ];
    findMany.mockResolvedValue(plans);
    expect(await shown()).toEqual(plans);
    const { json } = await document.texts();
    const reply = { header: () => undefined, request: { headers: {} } };
    const text = String(await json.for(reply));
    expect((JSON.parse(text) as { info: { description: string } }).info.description).toContain(
      [
        'Plan | Requests per minute | Requests per day | Requests per month',
        '--- | --- | --- | ---',
        '`free` | 60 | 1,000 | none',
        '`pro` | 300 | 10,000 | 100,000',
        '`enterprise` | set for each key | set for each key | set for each key',
      ].join('\n'),
    );
  });

  it('do not change the texts unless a plan changes, so nothing is recompressed', async () => {
    const before = await document.texts();
    jest.advanceTimersByTime(60_000);
    expect(await document.texts()).toBe(before);
    expect(findMany).toHaveBeenCalledTimes(2);
  });

  it('are left out while the database fails, and come back', async () => {
    findMany.mockRejectedValue(new Error('down'));
    expect(await shown()).toBeUndefined();
    findMany.mockResolvedValue([FREE]);
    jest.advanceTimersByTime(60_000);
    expect(await shown()).toEqual([FREE]);
  });

  it('are left out when the database does not respond within a second', async () => {
    findMany.mockReturnValue(new Promise(() => undefined));
    const response = shown();
    await jest.advanceTimersByTimeAsync(1000);
    expect(await response).toBeUndefined();
  });
});
