#!/usr/bin/env node
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { loadConfig } from '../config/config.js';
import { runCommandLine } from './program.js';

const { stdin, stdout, stderr } = process;
// Output for a reader that has gone (`| head`) may be lost; a command that waits for it gets the error, too.
stdout.on('error', () => undefined);
stderr.on('error', () => undefined);

process.exitCode = await runCommandLine(
  {
    config: () => loadConfig(process.env),
    actor: actor(),
    print: (text) => stdout.write(text),
    complain: (text) => stderr.write(text),
    stdin,
    stdout,
    ...(stdin.isTTY && stderr.isTTY && { ask }),
    ...(stderr.isTTY && { draw: (text: string) => stderr.write(text) }),
    onInterrupt,
    nowMs: Date.now,
  },
  process.argv.slice(2),
);

function actor(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number and no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns an empty answer, which is no yes, on Ctrl-C and at the end of the input. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const gone = new AbortController();
  terminal.once('SIGINT', () => gone.abort());
  terminal.once('close', () => gone.abort());
  try {
    return await terminal.question(question, { signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    stderr.write('\n');
    return '';
  } finally {
    terminal.close();
  }
}

/** The first signal ends the command in good order, a second one at once. */
function onInterrupt(interrupt: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
}
