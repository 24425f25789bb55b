import { describe, expect, it } from '@jest/globals';
import { useService } from './support/use-service.js';

const service = useService({
  clock: { nowMs: () => Date.UTC(2026, 10, 20, 23, 59, 37) },
  environment: { ADDRESS_LIMIT_PER_MINUTE: '2', BAN_AFTER_REFUSALS: '2' },
});

/** The last of so many responses. */
async function messageOf(requests: number, key?: string): Promise<unknown> {
  let body: unknown;
  for (let request = 0; request < requests; request += 1) {
    const response = await service.fetch('/v1/store/inventory', key === undefined ? {} : { key });
    body = ((await response.json()) as { message?: unknown }).message;
  }
  return body;
}

describe('a 429 says which limit is used up, and how long to wait', () => {
  it('of the minute, then of a ban', async () => {
    const { key } = await service.issueKey({ perMinute: 1, perDay: 100 });
    expect(await messageOf(2, key)).toBe(
      "The key's one request of this minute is used up. Try again in 23 seconds.",
    );
    expect(await messageOf(2, key)).toBe(
      'The API key is banned, because it went on after 429. Try again in 60 seconds.',
    );
  });

  it('of the day', async () => {
    const { key } = await service.issueKey({ perMinute: 100, perDay: 3 });
    expect(await messageOf(4, key)).toBe(
      "The key's 3 requests of this day are used up. Try again in 23 seconds.",
    );
  });

  it('of the address', async () => {
    expect(await messageOf(3)).toBe(
      'The 2 requests of this minute without a valid key from this address are used up. Try again in 23 seconds.',
    );
  });
});
