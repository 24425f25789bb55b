/** What ends the process: a signal, its steps in order, and a limit for all of them. */
export interface ShutdownOptions {
  /** Each step is done before the next begins. */
  readonly steps: readonly (() => Promise<void>)[];
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

async function shutDown({ steps, timeoutMs, warn, exit }: ShutdownOptions): Promise<void> {
  const timer = setTimeout(() => {
    warn(`the stop took longer than ${timeoutMs} ms: ending with work under way`);
    exit(1);
  }, timeoutMs);
  timer.unref();
  let code = 0;
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      code = 1;
      warn(`a step of the stop failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  clearTimeout(timer);
  exit(code);
}
