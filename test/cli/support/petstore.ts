import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import type { CliContext } from '../../../src/cli/context.js';
import { runCommandLine } from '../../../src/cli/program.js';
import { loadConfig } from '../../../src/config/config.js';

/** The result of a command line. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The input at the terminal; without it there is no terminal. */
  readonly reply?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly context?: Partial<CliContext>;
}

export type Petstore = (args: readonly string[], options?: RunOptions) => Promise<Outcome>;

const ACTOR = 'alice';

/** The command line on a database, in this process. */
export const petstoreOn =
  (databaseUrl: string): Petstore =>
  async (args, { reply, environment = {}, context = {} } = {}) => {
    const stdout = new PassThrough();
    const written = buffer(stdout);
    let stderr = '';
    const code = await runCommandLine(
      {
        config: () => loadConfig({ DATABASE_URL: databaseUrl, ...environment }),
        actor: ACTOR,
        print: (text) => stdout.write(text),
        printed: () => Promise.resolve(),
        printError: (text) => (stderr += text),
        columns: undefined,
        ...(reply !== undefined && {
          ask: (question: string) => {
            stderr += question;
            return Promise.resolve(reply);
          },
        }),
        run: (program) => Promise.reject(Object.assign(new Error(program), { code: 'ENOENT' })),
        nowMs: Date.now,
        ...context,
      },
      args,
    );
    stdout.end();
    return { code, stdout: (await written).toString('utf8'), stderr };
  };

/** The JSON that a successful command prints. Every int64 that a double would round is a string of its digits here. */
export async function json<Value>(outcome: Promise<Outcome>): Promise<Value> {
  const { code, stdout, stderr } = await outcome;
  if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout.replaceAll(/(?<=[:[,\s])-?\d{16,}(?=[,\]}\s])/g, '"$&"')) as Value;
}

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warn' | 'fail' | 'unknown';
  readonly message: string;
}

/** What the doctor finds, by its checks. */
export async function findingsOf(
  petstore: Petstore,
  options?: RunOptions,
): Promise<Readonly<Record<string, Finding>>> {
  const { code, stdout } = await petstore(['doctor', '--json'], options);
  const findings = JSON.parse(stdout) as Finding[];
  expect(code).toBe(findings.some(({ level }) => level === 'fail') ? 1 : 0);
  return Object.fromEntries(findings.map((one) => [one.check, one]));
}
