import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { httpFetch } from '../../test/support/http-fetch.js';
import { startService, type TestService } from '../../test/support/service.js';
import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { Admission } from './admission/admission.js';
import { DatabaseClock } from './admission/clock.js';
import { ADMISSION_STATES, type AdmissionDecision, type LimitWindow } from './admission/decision.js';

const HOUR_MS = 3_600_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the clock of admission', () => {
  it('is the database’s before the first decision, also on a machine whose own is wrong by an hour', async () => {
    const trueMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(trueMs + HOUR_MS);
    const clock = await DatabaseClock.start(service.prisma);
    // A minute for a machine that has other things to do.
    expect(Math.abs(clock.nowMs() - trueMs)).toBeLessThan(60_000);
  });
});

describe('a request that admission rejects', () => {
  /** What no guard of today knows. */
  const later = JSON.parse('{"state": "over_quota", "policy": "year"}') as {
    readonly state: AdmissionDecision['state'];
    readonly policy: LimitWindow['policy'];
  };
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];

  it.each([...ADMISSION_STATES, later.state])(
    'as %s reaches no handler, whatever its code and window are',
    async (state) => {
      const { key } = await service.issueKey();
      const admission = service.app.get(Admission);
      const decide = admission.decide.bind(admission);
      for (const code of codes) {
        for (const policies of [
          ['minute', 'day'],
          ['minute', 'day', later.policy],
        ] as const) {
          const rejection = new ApiError(code);
          jest.spyOn(admission, 'decide').mockImplementationOnce(async (request, address) => {
            const decision = await decide(request, address);
            const [window] = decision.windows;
            const [first, ...others] = policies.map((policy) =>
              Object.assign({}, window, { policy, remaining: policy === later.policy ? 0 : 1 }),
            );
            return { ...decision, state, windows: [first ?? window, ...others], rejection };
          });
          const response = await httpFetch(`${service.origin}/v1/pets`, {
            headers: new Headers({ authorization: `Bearer ${key}` }),
          });
          expect([code, response.status]).toEqual([code, rejection.status]);
          expect(await response.json()).toMatchObject({ code });
        }
      }
    },
  );
});

describe('admission', () => {
  it('waits for no connection used by reads or writes', async () => {
    const { prisma, config } = service;
    const { key } = await service.issueKey();
    const admission = service.app.get(Admission);
    const { max } = prisma.pools.main.options;
    const held: PoolClient[] = [];
    try {
      // One after another, and again: a machine that has other things to do may take longer for one than the pool waits.
      while (held.length < max) {
        const client = await prisma.pools.main.connect().catch(() => undefined);
        if (client !== undefined) held.push(client);
      }
      const decision = await admission.decide(
        { method: 'GET', headers: { authorization: `Bearer ${key}` } },
        '192.0.2.1',
      );
      expect(decision.rejection).toBeUndefined();
      // One is left for the probe that looks for lost connections.
      expect(prisma.pools.all.reduce((all, pool) => all + pool.options.max, 1)).toBe(config.database.poolMax);
    } finally {
      for (const client of held) client.release();
    }
  });
});
