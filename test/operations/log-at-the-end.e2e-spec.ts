import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';

const DESTINATION = pathToFileURL(join(cwd(), 'dist/telemetry/logging/log-destination.js')).href;

/** A process that writes a line as the service does, and then comes to this end. */
async function stderrOf(end: string): Promise<string> {
  const script = `
    import { LogDestination } from '${DESTINATION}';
    const destination = new LogDestination({ fd: 2 });
    process.on('exit', () => destination.flushSync());
    destination.write('the last line\\n');
    ${end}`;
  const child = spawn(execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (bytes) => (text += String(bytes)));
  await once(child, 'close');
  return text;
}

describe('the last line of the log is written', () => {
  it.each([
    ['at the exit', 'process.exit(0)'],
    ['after a crash', `setImmediate(() => { throw new Error('crash') })`],
    ['after a rejection that nobody handles', `await Promise.reject(new Error('crash'))`],
  ])('%s', async (_when, end) => expect(await stderrOf(end)).toContain('the last line\n'));
});

describe('of a pipe that is full at the exit', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'petstore-log-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** More than a pipe holds; said in the process, because it is too long for its arguments. */
  const COUNT = 5_000;
  const ALL = [
    ...Array.from({ length: COUNT }, (_, place) => `${place} ${'x'.repeat(50)}`),
    'the last line',
    '',
  ];
  /** Until the pipe has taken what it can, and is to be asked again. */
  const REFUSED = `while (process.getActiveResourcesInfo().includes('FSReqCallback')) await setImmediate();`;

  /** The lines that come out of a pipe, of which nobody reads before the process has come to its end. */
  async function linesOf(name: string, mode: number, end: string): Promise<readonly string[]> {
    const pipe = join(folder, name);
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const script = `
      import { openSync } from 'node:fs';
      import { setImmediate } from 'node:timers/promises';
      import { LogDestination } from '${DESTINATION}';
      const destination = new LogDestination({ fd: openSync('${pipe}', ${constants.O_WRONLY | mode}) });
      process.on('exit', () => {
        process.stdout.write('at the end');
        destination.flushSync();
      });
      let lines = '';
      for (let place = 0; place < ${COUNT}; place += 1) lines += place + ' ' + 'x'.repeat(50) + '\\n';
      destination.write(lines);
      ${end}
      destination.write('the last line\\n');
      process.exit(0);`;
    const child = spawn(execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const bytes = Buffer.alloc(1_000_000);
    let length = 0;
    await eventually(() => {
      // Nothing to read is an error as long as somebody may write.
      for (let read = -1; read !== 0; length += read) read = readSync(reader, bytes.subarray(length));
    });
    closeSync(reader);
    return bytes.toString('utf8', 0, length).split('\n');
  }

  it('every line arrives, whole and once', async () => {
    const lines = await linesOf('refused', constants.O_NONBLOCK, REFUSED);
    expect(lines).toHaveLength(ALL.length);
    expect(lines.join('\n') === ALL.join('\n')).toBe(true);
  });

  it('every line arrives whole when nobody knows how much of a write under way is out', async () => {
    const lines = await linesOf('under-way', constants.O_NONBLOCK, '');
    // What is out already comes again, after a line that is cut.
    expect(lines.slice(-ALL.length).join('\n') === ALL.join('\n')).toBe(true);
  });

  it('no line is written twice into a pipe that makes the writer wait', async () => {
    const lines = await linesOf('waiting', 0, '');
    expect(lines.filter((line) => line === ALL[0])).toHaveLength(1);
    expect(lines.join('\n')).toHaveLength(ALL.join('\n').length);
  });
});
