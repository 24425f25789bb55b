import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../errors/api-error.js';
import type { AdmissionDecision, LimitWindow } from '../../auth/admission/decision.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { Metrics } from './metrics.js';

const window = (policy: LimitWindow['policy'], remaining: number): LimitWindow => ({
  policy,
  limit: 60,
  windowSeconds: 60,
  remaining,
  resetAtMs: 0,
});

const ofKey = (
  planId: string,
  state: AdmissionDecision['state'] = 'admitted',
  leftInDay = 1,
): AdmissionDecision => ({
  state,
  windows: [window('minute', 0), window('day', leftInDay)],
  caller: { keyId: 1n, planId },
  ...(state !== 'admitted' && { rejection: new ApiError('rate_limit_exceeded') }),
});

const ofAddress = (state: AdmissionDecision['state'], code?: ErrorCode): AdmissionDecision => ({
  state,
  windows: [window('address', 0)],
  ...(code && { rejection: new ApiError(code) }),
});

async function counted(decisions: readonly AdmissionDecision[]): Promise<string[]> {
  const metrics = new Metrics();
  for (const decision of decisions) metrics.decided(decision);
  const text = await metrics.registry.metrics();
  return text
    .split('\n')
    .filter((line) => /^petstore_(?:admissions|rejections)_total.* [1-9]\d*$/.test(line));
}

const admission = (plan: string, outcome: string, count = 1): string =>
  `petstore_admissions_total{plan="${plan}",outcome="${outcome}"} ${count}`;
const rejection = (name: string): string => `petstore_rejections_total{window="${name}"} 1`;

describe('admissions', () => {
  it.each<[string, AdmissionDecision, string[]]>([
    ['admitted', ofKey('pro'), [admission('pro', 'admitted')]],
    ['rejected by the minute', ofKey('pro', 'limited'), [admission('pro', 'limited'), rejection('minute')]],
    ['rejected by the day', ofKey('pro', 'limited', 0), [admission('pro', 'limited'), rejection('day')]],
    ['rejected by a ban', ofKey('free', 'banned'), [admission('free', 'banned'), rejection('ban')]],
    [
      'rejected by the address',
      ofAddress('limited', 'rate_limit_exceeded'),
      [admission('none', 'limited'), rejection('address')],
    ],
    ['suspended', ofKey('pro', 'suspended'), [admission('pro', 'suspended')]],
    ['no key', ofAddress('unknown', 'missing_api_key'), [admission('none', 'unknown')]],
    ['no such key', ofAddress('unknown', 'invalid_api_key'), [admission('none', 'unknown')]],
    ['a revoked key', ofAddress('revoked', 'revoked_api_key'), [admission('none', 'revoked')]],
    ['an expired key', ofAddress('expired', 'expired_api_key'), [admission('none', 'expired')]],
    ['no decision', ofAddress('undecided', 'service_unavailable'), [admission('none', 'undecided')]],
    [
      'no place for a lookup',
      { ...ofAddress('limited', 'service_unavailable'), isLookupRejected: true },
      [admission('none', 'limited')],
    ],
    ['a public document', ofAddress('admitted'), []],
  ])('%s', async (_case, decision, expected) => {
    expect(await counted([decision])).toEqual(expected);
  });

  it('start at 0 even without live keys, so that rate() sees the first', async () => {
    const text = await new Metrics().registry.metrics();
    for (const outcome of ['unknown', 'revoked', 'expired', 'undecided']) {
      expect(text).toContain(admission('none', outcome, 0));
    }
  });

  it('have series for fifty plans, and one for all others', async () => {
    const plans = Array.from({ length: 80 }, (_, plan) => ofKey(`plan ${plan}`));
    const lines = await counted([...plans, ofAddress('unknown', 'missing_api_key')]);
    expect(lines).toHaveLength(52);
    expect(lines).toContain(admission('none', 'unknown'));
    expect(lines).toContain(admission('plan 49', 'admitted'));
    expect(lines).toContain(admission('other', 'admitted', 30));
  });
});
