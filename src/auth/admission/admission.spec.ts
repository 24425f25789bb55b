import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Batching } from '../../batching/batching.js';
import type { PrismaService } from '../../database/prisma.service.js';
import { DELAY_MS } from './address-limiter.js';
import { Admission } from './admission.js';
import { DatabaseClock } from './clock.js';

const ADDRESS = '192.0.2.1';

/** No request has a key here, so the database is not needed. */
const batching = { batchWrites: () => undefined } as unknown as Batching;
const prisma = { pools: {} } as unknown as PrismaService;

/** So many rejections of an address in a minute are not delayed. */
const FLOOD_AFTER = 600;

/** An address has one rejected request a minute. */
function admissionOf(): Admission {
  const limits = { addressLimitPerMinute: 1, banAfterRefusals: 1, banSeconds: 1, banMaxSeconds: 1 };
  const clock = new DatabaseClock(
    () => 0,
    () => Date.UTC(2026, 10, 20, 12),
  );
  return new Admission(batching, prisma, { limits }, { warn: () => undefined }, clock, clock, []);
}

const codeOf = async (decision: ReturnType<Admission['decide']>): Promise<string | undefined> =>
  (await decision).rejection?.code;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('an address that is rejected again and again', () => {
  it.each([
    ['without a key', (admission: Admission) => admission.decide({ headers: {} }, ADDRESS)],
    [
      'with what no key can be',
      (admission: Admission) => admission.decide({ headers: { authorization: 'x' } }, ADDRESS),
    ],
    ['with bytes that are no request', (admission: Admission) => admission.chargeAddress(ADDRESS)],
  ])('%s is rejected at once at first, and after a delay when it floods', async (_, send) => {
    const admission = admissionOf();
    const first = await codeOf(send(admission));
    expect(first).not.toBe('rate_limit_exceeded');
    for (let times = 0; times < FLOOD_AFTER; times += 1) {
      const { rejection } = await send(admission);
      expect([rejection?.code, rejection?.message]).toEqual([
        'rate_limit_exceeded',
        expect.stringMatching(
          /^The 1 requests of this minute without a valid key from this address are used up\. Try again in \d+ seconds?\.$/,
        ),
      ]);
    }

    let settled = false;
    const third = codeOf(send(admission)).finally(() => (settled = true));
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2 - 1);
    expect(settled).toBe(false);
    await jest.advanceTimersByTimeAsync(DELAY_MS);
    await expect(third).resolves.toBe('rate_limit_exceeded');
  });
});
