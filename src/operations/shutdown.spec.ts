import { describe, expect, it } from '@jest/globals';
import { shutDown, type StopPhase } from './shutdown.js';

/** A bound that nothing here comes near. */
const AMPLE_MS = 60_000;
const never = (): Promise<never> => new Promise(() => undefined);

async function stopped(
  phases: readonly StopPhase[],
  timeoutMs = AMPLE_MS,
): Promise<{ readonly code: number; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const code = await new Promise<number>((resolve) => {
    void shutDown({ phases, timeoutMs, warn: (message) => warnings.push(message), exit: resolve });
  });
  return { code, warnings };
}

describe('a stop', () => {
  it('runs its phases one after another, and exits with 0', async () => {
    const ran: string[] = [];
    const phase = (name: string): StopPhase => ({
      name,
      boundMs: AMPLE_MS,
      run: async () => {
        ran.push(`${name} begins`);
        await Promise.resolve();
        ran.push(`${name} ends`);
      },
    });
    expect(await stopped([phase('one'), phase('two')])).toEqual({ code: 0, warnings: [] });
    expect(ran).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('goes on without a phase that is over its bound, ends its work by force, and exits with 1', async () => {
    const ran: string[] = [];
    const phases: StopPhase[] = [
      { name: 'stuck', boundMs: 10, run: never, giveUp: () => ran.push('by force') },
      {
        name: 'next',
        boundMs: AMPLE_MS,
        run: async () => {
          ran.push('next');
        },
      },
    ];
    expect(await stopped(phases)).toEqual({ code: 1, warnings: ['stop: stuck: took longer than 10 ms'] });
    expect(ran).toEqual(['by force', 'next']);
  });

  it('goes on after a phase that fails, and exits with 1', async () => {
    const phases: StopPhase[] = [
      { name: 'failing', boundMs: AMPLE_MS, run: () => Promise.reject(new Error('no')) },
      { name: 'next', boundMs: AMPLE_MS, run: () => Promise.resolve() },
    ];
    expect(await stopped(phases)).toEqual({ code: 1, warnings: ['stop: failing: no'] });
  });

  it('ends as a whole when its time is over', async () => {
    const phases: StopPhase[] = [{ name: 'stuck', boundMs: 100, run: never }];
    expect(await stopped(phases, 10)).toEqual({
      code: 1,
      warnings: ['the stop took longer than 10 ms: ending with work under way'],
    });
  });
});
