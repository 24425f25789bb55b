import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cwd, env, execPath } from 'node:process';

/** A program of the project as its users start it: `dist/main.js` or `dist/cli/main.js`. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: { stdout: string; stderr: string };
  /** The first match in what it writes to standard output; rejects when it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** For Node.js 22 and later: the next program need not compile the same code again. */
const NODE_COMPILE_CACHE = join(cwd(), 'node_modules/.cache/petstore-tests');

/** Starts a program with nothing in its environment but what is given, `PATH`, a management port of its own, and a cache of code. */
export function runProgram(
  file: 'main.js' | 'cli/main.js',
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningProgram {
  const child = spawn(execPath, [join(cwd(), 'dist', file), ...args], {
    env: { PATH: env['PATH'], NODE_COMPILE_CACHE, MANAGEMENT_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  return {
    child,
    output,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output.stdout);
          if (match !== null) resolve(match);
        };
        child.stdout.on('data', look);
        look();
        void ended.then((code) => reject(new Error(`it ended with ${code}: ${output.stderr}`)));
      }),
  };
}
