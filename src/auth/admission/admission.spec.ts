import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AddressLimiter } from './address-limiter.js';
import { Admission } from './admission.js';
import { DELAY_MS } from './delayed-rejections.js';
import { RecentSecrets } from './recent-secrets.js';

const ADDRESS = '192.0.2.1';

/** No request has a key here, so the database is not needed. */
const unused = { load: (): Promise<never> => Promise.reject(new Error('the database was queried')) };

/** An address has one rejected request a minute, and floods after one more. */
function admissionOf(): Admission {
  const options = { limitPerMinute: 1, floodAfter: 1, addressesMax: 10, lookupsMax: 1, allLookupsMax: 1 };
  return new Admission({
    keys: unused,
    lowPriorityKeys: unused,
    recent: new RecentSecrets({ max: 1, forMs: 1 }),
    addresses: new AddressLimiter(options),
    documents: new AddressLimiter(options),
    clock: { nowMs: () => Date.UTC(2026, 10, 20, 12) },
    databaseClock: { observe: () => undefined },
  });
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
    ['without a key', (admission: Admission) => admission.decide({}, ADDRESS)],
    ['with what no key can be', (admission: Admission) => admission.decide({ authorization: 'x' }, ADDRESS)],
    ['with bytes that are no request', (admission: Admission) => admission.chargeAddress(ADDRESS)],
  ])('%s is rejected at once at first, and after a delay when it floods', async (_, send) => {
    const admission = admissionOf();
    const first = await codeOf(send(admission));
    expect(first).not.toBe('rate_limit_exceeded');
    await expect(codeOf(send(admission))).resolves.toBe('rate_limit_exceeded');

    let settled = false;
    const third = codeOf(send(admission)).finally(() => (settled = true));
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2 - 1);
    expect(settled).toBe(false);
    await jest.advanceTimersByTimeAsync(DELAY_MS);
    await expect(third).resolves.toBe('rate_limit_exceeded');
  });

  it('leaves others alone', async () => {
    const admission = admissionOf();
    for (let times = 0; times < 3; times += 1) void admission.chargeAddress(ADDRESS);
    await expect(codeOf(admission.decide({}, '192.0.2.2'))).resolves.toBe('missing_api_key');
  });
});
