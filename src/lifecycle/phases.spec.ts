import { describe, expect, it } from '@jest/globals';
import { type Phase, runPhases } from './phases.js';

/** A bound that nothing here reaches. */
const AMPLE_MS = 60_000;
const never = (): Promise<never> => new Promise(() => undefined);

/** Whether the phases came to their end, and the warnings. */
async function outcomeOf(
  phases: readonly Phase[],
): Promise<{ readonly isComplete: boolean; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const isComplete = await runPhases(phases, (message) => warnings.push(message));
  return { isComplete, warnings };
}

describe('runPhases', () => {
  it('runs the phases one after another, and returns true', async () => {
    const ran: string[] = [];
    const phase = (name: string): Phase => ({
      name,
      boundMs: AMPLE_MS,
      run: async () => {
        ran.push(`${name} begins`);
        await Promise.resolve();
        ran.push(`${name} ends`);
      },
    });
    expect(await outcomeOf([phase('one'), phase('two')])).toEqual({ isComplete: true, warnings: [] });
    expect(ran).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('goes on without a phase that is past its bound, ends its work by force, and returns false', async () => {
    const ran: string[] = [];
    const phases: Phase[] = [
      { name: 'stuck', boundMs: 10, run: never, giveUp: () => ran.push('by force') },
      {
        name: 'next',
        boundMs: AMPLE_MS,
        run: async () => {
          ran.push('next');
        },
      },
    ];
    expect(await outcomeOf(phases)).toEqual({
      isComplete: false,
      warnings: ['stop: stuck: took longer than 10 ms'],
    });
    expect(ran).toEqual(['by force', 'next']);
  });

  it('goes on after a phase that failed, and returns false', async () => {
    const phases: Phase[] = [
      { name: 'failing', boundMs: AMPLE_MS, run: () => Promise.reject(new Error('no')) },
      { name: 'next', boundMs: AMPLE_MS, run: () => Promise.resolve() },
    ];
    expect(await outcomeOf(phases)).toEqual({
      isComplete: false,
      warnings: ['stop: failing: no'],
    });
  });
});
