import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../errors/api-error.js';
import type { IdempotencyKey } from './idempotency-key.js';
import { type CreationOutcome, Idempotency } from './idempotency.service.js';

const CREATED = { id: 7n, json: '{"id":7}' };
const keyOf = (fingerprint = 'body', key = 'once'): IdempotencyKey => ({
  apiKeyId: 1n,
  key,
  fingerprint: Buffer.from(fingerprint),
});

/** The row of an earlier request, if there is one. */
let stored: { id: bigint; json: string; fingerprint: Buffer }[];
let idempotency: Idempotency;

beforeEach(() => {
  stored = [];
  const prisma = {
    pools: { reads: { run: <Result>(work: () => Promise<Result>) => work() } },
    $queryRaw: () => Promise.resolve(stored),
  };
  idempotency = new Idempotency(prisma);
});

const once = (key: IdempotencyKey | undefined, create: () => Promise<CreationOutcome>) =>
  idempotency.once(key, performance.now() + 10_000, create);
const creating = (outcome: CreationOutcome) => () => Promise.resolve(outcome);

describe('a request with an Idempotency-Key', () => {
  it('gets the stored response of an earlier request', async () => {
    stored = [{ ...CREATED, fingerprint: Buffer.from('body') }];
    expect(await once(keyOf(), creating('used'))).toEqual({ ...CREATED, isReplay: true });
    await expect(once(keyOf('another body'), creating('used'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    // Its statement was rejected because the first request had ordered the pet.
    expect(await once(keyOf(), () => Promise.reject(new ApiError('pet_not_available')))).toEqual({
      ...CREATED,
      isReplay: true,
    });
  });

  it('is 409 with Retry-After while another request with it is in flight, and where its response has expired', async () => {
    for (const outcome of ['busy', 'used'] as const) {
      await expect(once(keyOf(), creating(outcome))).rejects.toMatchObject({
        code: 'request_in_progress',
        headers: { 'retry-after': '1' },
      });
    }
  });

  it('passes on statement errors outside the contract', async () => {
    stored = [{ ...CREATED, fingerprint: Buffer.from('body') }];
    await expect(once(keyOf(), () => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });
});

describe('a request without an Idempotency-Key', () => {
  it('creates each time, and never gets a different outcome', async () => {
    expect(await once(undefined, creating(CREATED))).toEqual({ ...CREATED, isReplay: false });
    await expect(once(undefined, creating('busy'))).rejects.toThrow('busy without an Idempotency-Key');
  });
});
