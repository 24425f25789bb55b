/** A part of the shutdown, which ends before the next begins. */
export interface Phase {
  /** For the log. */
  readonly name: string;
  /** After this many milliseconds the shutdown goes on without it. */
  readonly boundMs: number;
  readonly run: () => Promise<unknown>;
  /** Ends by force what is still running at the bound. */
  readonly giveUp?: () => void;
}

/**
 * Runs phases one after another, also after one that failed or was late.
 *
 * @returns whether all came to their end by themselves; `warn` has received why one did not
 */
export async function runPhases(phases: readonly Phase[], warn: (message: string) => void): Promise<boolean> {
  let isComplete = true;
  for (const phase of phases) {
    const failure = await runPhase(phase);
    if (failure === undefined) continue;
    isComplete = false;
    warn(`stop: ${phase.name}: ${failure}`);
  }
  return isComplete;
}

/** Resolves to what went wrong, if something did. */
async function runPhase({ boundMs, run, giveUp }: Phase): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => {
      giveUp?.();
      resolve(`took longer than ${boundMs} ms`);
    }, boundMs);
  });
  const done = run().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
