/** A part of the stop, done before the next begins. */
export interface StopPhase {
  /** Of whom or what the phase is, for the log. */
  readonly name: string;
  /** After this many milliseconds the stop goes on without it. */
  readonly boundMs: number;
  readonly run: () => Promise<unknown>;
  /** Ends by force what the bound found under way. */
  readonly giveUp?: () => void;
}

/** What ends the process: a signal, the phases in order, and a limit for all of them. */
export interface ShutdownOptions {
  readonly phases: readonly StopPhase[];
  /** After this many milliseconds the process ends whatever is still under way. */
  readonly timeoutMs: number;
  readonly warn: (message: string) => void;
  readonly exit: (code: number) => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A second signal within this time belongs to the first: npm passes on the Ctrl-C that the terminal sent already. */
const SAME_SIGNAL_MS = 500;

/** Ends the process in order on the first SIGTERM or Ctrl-C (exit code 0), and at once on the second. */
export function shutDownOnSignal(options: ShutdownOptions): void {
  let beganAtMs: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (beganAtMs === undefined) {
        beganAtMs = performance.now();
        void shutDown(options);
      } else if (performance.now() - beganAtMs > SAME_SIGNAL_MS) {
        options.warn(`${signal} came a second time: ending at once`);
        options.exit(1);
      }
    });
  }
}

/** Runs the phases. Exits with 0 when each of them came to its end by itself, else with 1. */
export async function shutDown({ phases, timeoutMs, warn, exit }: ShutdownOptions): Promise<void> {
  const timer = setTimeout(() => {
    warn(`the stop took longer than ${timeoutMs} ms: ending with work under way`);
    exit(1);
  }, timeoutMs);
  timer.unref();
  let code = 0;
  for (const phase of phases) {
    const fault = await runPhase(phase);
    if (fault === undefined) continue;
    code = 1;
    warn(`stop: ${phase.name}: ${fault}`);
  }
  clearTimeout(timer);
  exit(code);
}

/** Resolves to what went wrong, if something did. */
async function runPhase({ boundMs, run, giveUp }: StopPhase): Promise<string | undefined> {
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
