import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ThrottlerGuard, ThrottlerStorageService, type ThrottlerRequest } from '@nestjs/throttler';
import { ApiKeyGuard } from '../src/auth/api-key.guard.js';
import { DeprecationInterceptor } from '../src/http/deprecation.interceptor.js';
import { InputPipe } from '../src/http/input.pipe.js';
import { PlanThrottlerGuard } from '../src/auth/plan-throttler.guard.js';
import { useService } from './support/use-service.js';

/** It stands still, so that no window turns between the requests of a test. */
const NOW_MS = Date.now();
const service = useService({ clock: { nowMs: () => NOW_MS } });
afterEach(() => {
  jest.restoreAllMocks();
});

/** `handleRequest` is protected; a test may observe it. */
const throttler = PlanThrottlerGuard.prototype as unknown as {
  handleRequest: (request: ThrottlerRequest) => Promise<boolean>;
};

describe('Nest runs', () => {
  it('both guards and the pipe for GET /v1/pets', async () => {
    const apiKey = jest.spyOn(ApiKeyGuard.prototype, 'canActivate');
    const plan = jest.spyOn(ThrottlerGuard.prototype, 'canActivate');
    const windows = jest.spyOn(throttler, 'handleRequest');
    const pipe = jest.spyOn(InputPipe.prototype, 'transform');

    expect((await service.get('/v1/pets')).status).toBe(200);

    expect(apiKey).toHaveBeenCalledTimes(1);
    expect(plan).toHaveBeenCalledTimes(1);
    expect(windows).not.toHaveBeenCalled();
    expect(pipe).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ type: 'query' }));
  });

  it('the deprecation interceptor only for the deprecated operation', async () => {
    const intercept = jest.spyOn(DeprecationInterceptor.prototype, 'intercept');
    await service.get('/v1/pets');
    expect(intercept).not.toHaveBeenCalled();
    await service.get('/v1/pets/1');
    expect(intercept).toHaveBeenCalledTimes(1);
  });
});

describe('a request is counted once', () => {
  it('in the database, and not in the storage of the throttler', async () => {
    const increment = jest.spyOn(ThrottlerStorageService.prototype, 'increment');
    const admitted = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ admitted: string }>(
        'select day_admitted as admitted from api_key_counters where api_key_id = $1',
        [service.keyId],
      );
      return Number(rows[0]?.admitted);
    };
    const before = await admitted();
    await service.get('/v1/pets');
    expect(await admitted()).toBe(before + 1);
    expect(increment).not.toHaveBeenCalled();
  });
});

/** The status of a response, and the code of the error that the guard threw. */
async function rejectionOf(
  guard: typeof ApiKeyGuard | typeof PlanThrottlerGuard,
  send: () => Promise<Response>,
): Promise<unknown> {
  const { mock } = jest.spyOn(guard.prototype, 'canActivate');
  const { status } = await send();
  const thrown: unknown = await Promise.resolve(mock.results[0]?.value).catch((error: unknown) => error);
  return { status, code: (thrown as { code?: string }).code };
}

describe('the guard that throws a rejection', () => {
  it('is the API key guard without a valid key', async () => {
    expect(await rejectionOf(ApiKeyGuard, () => service.fetch('/v1/pets'))).toEqual({
      status: 401,
      code: 'missing_api_key',
    });
  });

  it.each(['minute', 'day'] as const)('is the throttler for a used-up %s', async (window) => {
    const limits = window === 'minute' ? { perMinute: 1 } : { perDay: 1 };
    const { key: tight } = await service.issueKey(limits);
    await service.fetch('/v1/pets', { key: tight });
    // A second request may fall into the next window, and the third then does not.
    await service.fetch('/v1/pets', { key: tight });
    const windows = jest.spyOn(throttler, 'handleRequest');
    expect(await rejectionOf(PlanThrottlerGuard, () => service.fetch('/v1/pets', { key: tight }))).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
    });
    expect(windows.mock.calls).toEqual([
      [expect.objectContaining({ throttler: expect.objectContaining({ name: window }), limit: 1 })],
    ]);
  });

  it('is the throttler for a banned key', async () => {
    const { key: banned, id: bannedId } = await service.issueKey();
    await service.pool.query(
      `update api_key_counters
       set minute = date_trunc('minute', now()), day = (now() at time zone 'UTC')::date,
           banned_at = now(), banned_until = now() + interval '1 hour'
       where api_key_id = $1`,
      [bannedId],
    );
    expect(await rejectionOf(PlanThrottlerGuard, () => service.fetch('/v1/pets', { key: banned }))).toEqual({
      status: 429,
      code: 'api_key_banned',
    });
  });
});
