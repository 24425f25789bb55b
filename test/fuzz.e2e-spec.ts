import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FuzzService, type Request, startFuzzService } from './support/fuzz/fuzz-service.js';
import { illegalRequest } from './support/fuzz/illegal-requests.js';
import { legalRequest } from './support/fuzz/legal-requests.js';
import { wildRequest } from './support/fuzz/wild-requests.js';
import { cases, numberFrom } from './support/cases.js';

/** `npm run fuzz` sends 50,000. */
const CASES = numberFrom('FUZZ_CASES', cases(2_000));

/** Requests that are in flight at the same time: enough for batches. Their checks run in the same process as the service. */
const TOGETHER = 8;

/** A case takes about 3 ms. */
const TIMEOUT_MS = Math.max(300_000, CASES * 15);

let service: FuzzService;
beforeAll(async () => {
  service = await startFuzzService(CASES);
}, TIMEOUT_MS);
afterAll(() => service.close());

/** Sends a share of the cases, some at a time; `check` says what is wrong with each. */
async function fuzz<Case>(
  request: fc.Arbitrary<Case>,
  share: number,
  check: (one: Case) => Promise<readonly unknown[]>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: TOGETHER, size: 'max' }), async (some) => {
      const faults = await Promise.all(
        some.map(async (one) => {
          const found = await check(one);
          return found.length === 0 ? [] : [{ one: readable(one), found }];
        }),
      );
      expect(faults.flat()).toEqual([]);
    }),
    // Half of the greatest length, on average.
    {
      numRuns: Math.ceil((CASES * share) / (TOGETHER / 2)),
      interruptAfterTimeLimit: TIMEOUT_MS * 0.9,
      markInterruptAsFailure: true,
      // Shrinking would send thousands of requests more, and report what happens when the records are used up.
      endOnFailure: true,
    },
  );
}

/** Bytes as text, so that a failure can be read. */
const readable = (one: unknown): unknown =>
  JSON.parse(
    JSON.stringify(one, (_name, value: unknown) =>
      isBytes(value) ? Buffer.from(value.data).toString('latin1') : value,
    ),
  );

const isBytes = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Buffer' &&
  'data' in value;

const succeeds = async (request: Request): Promise<readonly unknown[]> => {
  const { status, faults } = await service.send(request);
  return [200, 201, 204, 304].includes(status) ? faults : [status, ...faults];
};

describe('a request', () => {
  it(
    'that the document allows succeeds, with a documented response',
    () => fuzz(legalRequest, 1 / 2, succeeds),
    TIMEOUT_MS,
  );

  it(
    'with one invalid value is rejected for it, with a documented response',
    () =>
      fuzz(illegalRequest, 1 / 4, async ({ status: expected, request }) => {
        const { status, faults } = await service.send(request);
        return status === expected ? faults : [`${status} instead of ${expected}`, ...faults];
      }),
    TIMEOUT_MS,
  );

  it(
    'of any kind never has a 5xx, nor a response that is not documented',
    () => fuzz(wildRequest, 1 / 4, async (request) => (await service.send(request)).faults),
    TIMEOUT_MS,
  );
});
