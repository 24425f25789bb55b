#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { loadConfig } from '../config/config.js';
import { type Change, EXIT_CODES, explainAbort, LostOutputError } from './cli-error.js';
import { runCommandLine } from './program.js';

const { stdin, stdout, stderr } = process;
let changed: Change;
let lost: NodeJS.ErrnoException | undefined;
stdout.on('error', (error: NodeJS.ErrnoException) => {
  lost ??= error;
});
stderr.on('error', () => undefined);

/** The shell convention for Ctrl-C (128 + SIGINT). */
const INTERRUPTED = 130;

/** The server rolls back what was not committed. */
const interrupt = (): void => {
  stderr.write(explainAbort('Interrupted.', changed), () => process.exit(INTERRUPTED));
};
process.once('SIGINT', interrupt);

process.exitCode = await runCommandLine(
  {
    config: () => loadConfig(process.env),
    actor: actor(),
    print: (text) => stdout.write(text),
    printed: async () => {
      await written();
      if (lost !== undefined) throw new LostOutputError();
    },
    printError: (text) => stderr.write(text),
    // 0 if the width is unknown, as in a container without a window.
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    ...(stdin.isTTY && stderr.isTTY && { ask }),
    run: async (program, words, environment) => {
      const child = spawn(program, words, { env: { ...process.env, ...environment }, stdio: 'inherit' });
      process.off('SIGINT', interrupt);
      // The terminal sends Ctrl-C to both, and psql cancels a statement by it.
      for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, () => undefined);
      for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    },
    nowMs: Date.now,
    onCommitting: () => {
      changed = 'unknown';
    },
    onCommit: (row = {}) => {
      changed = row;
    },
  },
  process.argv.slice(2),
);

await written();
// A reader that closes the pipe early (`| head`) is no failure, unless a change was made.
if (lost !== undefined && (lost.code !== 'EPIPE' || changed !== undefined)) {
  stderr.write(explainAbort(`Cannot write the output: ${lost.message}`, changed));
  process.exitCode = EXIT_CODES.failure;
}
// A server that has gone may keep its connection open.
process.exit();

/** Resolves when all output is written or has failed. */
function written(): Promise<void> {
  return new Promise((resolve) => void stdout.write('', () => resolve()));
}

function actor(): string {
  const { PETSTORE_ACTOR } = process.env;
  if (PETSTORE_ACTOR !== undefined) return PETSTORE_ACTOR;
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns an empty reply, which means no, on Ctrl-C and end of input. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const closed = new AbortController();
  terminal.once('SIGINT', () => closed.abort());
  terminal.once('close', () => closed.abort());
  try {
    return await terminal.question(question, { signal: closed.signal });
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    stderr.write('\n');
    return '';
  } finally {
    terminal.close();
  }
}
