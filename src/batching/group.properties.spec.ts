import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { GroupBesideModel, type Limits, type Step } from '../../test/support/group-model.js';
import type { Ending } from '../../test/support/group-rules.js';

const limits: fc.Arbitrary<Limits> = fc.record({
  sizeMax: fc.integer({ min: 1, max: 5 }),
  concurrencyMax: fc.integer({ min: 1, max: 3 }),
  waitingMax: fc.integer({ min: 1, max: 20 }),
  endsWithinMs: fc.constantFrom(0, 40),
  onBrokenConnection: fc.constantFrom('ask-again' as const, 'fail' as const),
  onServerTimeout: fc.constantFrom('together' as const, 'alone' as const),
});

const steps = fc.array<Step>(
  fc.oneof(
    {
      weight: 40,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        key: fc.constantFrom(undefined, undefined, 'x', 'y'),
        bad: fc.nat(9).map((n) => n === 9),
        within: fc.constantFrom(undefined, undefined, 60, 180),
      }),
    },
    { weight: 20, arbitrary: fc.constant({ do: 'turn' as const }) },
    {
      weight: 25,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        pick: fc.nat(5),
        ending: fc.constantFrom<Ending[]>(
          'truth',
          'truth',
          'truth',
          'notSent',
          'broken',
          'serverTimeout',
          'answered',
          'refused',
          'fault',
        ),
        partly: fc.boolean(),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.constantFrom(5, 10, 25, 40, 90, 550),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
  ),
  { maxLength: 80, size: 'max' },
);

describe('a group, beside a naive model of it', () => {
  it('settles each question once, in time, with its own fresh answer or error, and heals', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (given, all) => {
        const both = new GroupBesideModel(given);
        await both.run(all);
        await both.heal();
      }),
      { numRuns: 250 },
    );
  }, 60_000);
});
