import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HISTORIES, history, type Step } from '../../../test/support/admission/history.js';
import { ADMISSION_STATES } from './decision.js';
import { AdmissionComparison } from '../../../test/support/admission/comparison.js';
import { useDatabase } from '../../../test/support/use-service.js';

const MS_PER_HISTORY_MAX = 1000;

const policy = fc
  .tuple(
    fc.integer({ min: 1, max: 20 }),
    fc.oneof(
      fc.tuple(fc.constantFrom(1, 20, 60), fc.constantFrom(60, 100, 3600)),
      // A ban longer than a day ends more than a day after it began.
      fc.constant<[number, number]>([43_200, 86_400]),
    ),
  )
  .map(([banAfterRefusals, [banSeconds, banMaxSeconds]]) => ({
    banAfterRefusals,
    banSeconds,
    banMaxSeconds,
  }));

const startMs = fc
  .constantFrom(
    '2026-11-20T09:30:00Z',
    '2026-11-20T23:59:59.999Z',
    '2026-12-31T23:58:30Z',
    '2028-02-28T23:30:00Z',
  )
  .map((instant) => Date.parse(instant));

/** Of the first key. */
const request = (isFormer: boolean, requests = 12): Step => ({
  do: 'request',
  secrets: Array<number>(requests).fill(0),
  isFormer,
});
const goTo = (edge: 'minute' | 'day' | 'month'): Step => ({ do: 'go-to', edge, key: 0, offsetMs: 0 });

describe('AdmissionStatement against the serial model', () => {
  const database = useDatabase(1);

  it(
    'decides and counts a group as if its requests had come one after another, whatever went before',
    async () => {
      let steps = 0;
      const states = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(policy, startMs, history, async (bans, nowMs, taken) => {
          const comparison = await AdmissionComparison.create(database.pool, bans, nowMs);
          for (const step of taken) {
            const outcome = await comparison.take(step);
            steps += 1;
            for (const { state } of outcome?.actual.decisions ?? [])
              states.set(state, (states.get(state) ?? 0) + 1);
            expect(outcome?.actual).toEqual(outcome?.expected);
          }
        }),
        { numRuns: HISTORIES },
      );
      // A generator that reaches nothing would agree with any model.
      expect(new Set(states.keys())).toEqual(
        new Set(ADMISSION_STATES.filter((state) => state !== 'undecided')),
      );
      expect(steps).toBeGreaterThan(HISTORIES);
    },
    Math.max(300_000, HISTORIES * MS_PER_HISTORY_MAX),
  );

  it('counts what replicas of the previous release admitted earlier in the month', async () => {
    const comparison = await AdmissionComparison.create(
      database.pool,
      { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 },
      Date.parse('2028-02-28T23:30:00Z'),
    );
    const steps: Step[] = [
      { do: 'set-key', key: 0, plan: 2, limits: { minute: 12, day: 60, month: 30 } },
      ...[request(false, 1), goTo('month'), request(true), goTo('day'), request(true), goTo('minute')],
    ];
    for (const step of steps) await comparison.take(step);
    const last = await comparison.take(request(false));
    expect(last?.actual).toEqual(last?.expected);
    expect(last?.actual.decisions.filter(({ state }) => state === 'admitted')).toHaveLength(6);
  });
});
