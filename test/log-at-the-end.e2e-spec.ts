import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const LOGGER = pathToFileURL(join(cwd(), 'dist/monitoring/telemetry/logger.js')).href;

/** Ends processes that would wait for each other after one of them failed. */
const TIMEOUT_MS = 250_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A process that runs the script with the service's `logger`, which writes to `stderr`. */
function runScript(script: string, stderr: 'pipe' | number): ReturnType<typeof spawn> {
  const start = `
    import { createLogger } from '${LOGGER}';
    const logger = createLogger('info');`;
  return spawn(execPath, ['--input-type=module', '--eval', start + script], {
    stdio: ['ignore', 'pipe', stderr],
    timeout: TIMEOUT_MS,
  });
}

/** Resolves when the process has written to its standard output, or has ended. */
async function firstOutput(child: ReturnType<typeof spawn>): Promise<void> {
  for await (const _ of child.stdout ?? []) return;
}

async function textOf(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The messages of complete lines. A line that is not JSON fails the test. */
const messagesOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

describe('the last line of the log is written', () => {
  it.each([
    ['at the exit', 'process.exit(0)'],
    ['when nothing is left to do', ''],
    ['after a crash', `setImmediate(() => { throw new Error('crash') })`],
    ['after a rejection that nothing handles', `await Promise.reject(new Error('crash'))`],
  ])('%s', async (_when, end) => {
    const child = runScript(`logger.info('the last line');${end}`, 'pipe');
    expect(await textOf(child.stderr)).toContain('"msg":"the last line"}\n');
  });

  it('after a pipe was full, with every line before it, in order', async () => {
    const pipe = join(folder, 'full');
    execFileSync('mkfifo', [pipe]);
    // For both, so that opening does not wait for the other end. The child's end waits where the pipe is full.
    const both = openSync(pipe, constants.O_RDWR);
    const child = runScript(
      `import { setImmediate } from 'node:timers/promises';
       for (let line = 0; line < 5000; line += 1) {
         logger.info('line ' + line);
         if (line % 100 === 0) await setImmediate();
       }
       process.stdout.write('exiting');
       process.exit(0);`,
      both,
    );
    await firstOutput(child);
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'], timeout: TIMEOUT_MS });
    closeSync(both);
    const messages = messagesOf(await textOf(reader.stdout));
    expect(messages).toEqual(Array.from({ length: 5000 }, (_, line) => `line ${String(line)}`));
  });
});

describe('a log that is not read', () => {
  it('is dropped beyond its bound, with a line that says how many lines were dropped', async () => {
    const pipe = join(folder, 'unread');
    execFileSync('mkfifo', [pipe]);
    const both = openSync(pipe, constants.O_RDWR);
    const child = runScript(
      `const text = 'x'.repeat(100_000);
       for (let line = 0; line < 500; line += 1) logger.info(text);
       process.stdout.write('written');
       setTimeout(() => undefined, 2 ** 31 - 1);`,
      both,
    );
    await firstOutput(child);
    const reader = spawn('grep', ['-n', '-o', '-m', '1', '[0-9]* log lines were dropped', pipe], {
      timeout: TIMEOUT_MS,
    });
    const [, written, dropped] = /^(\d+):(\d+) log lines/.exec(await textOf(reader.stdout)) ?? [];
    child.kill('SIGKILL');
    closeSync(both);
    expect(Number(written) - 1 + Number(dropped)).toBe(500);
    expect(Number(written)).toBeGreaterThan(300);
  });

  it('does not end the process when its reader has gone', async () => {
    const child = runScript(
      `import { setTimeout as delay } from 'node:timers/promises';
       for (let line = 0; line < 20; line += 1) {
         logger.info('x'.repeat(10_000));
         await delay(1);
       }
       logger.info('the last line');
       process.stdout.write('alive');`,
      'pipe',
    );
    child.stderr?.destroy();
    expect(await textOf(child.stdout)).toBe('alive');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  });
});
