import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { LogDestination } from './log-destination.js';

let folder: string;
let file: string;
let fd: number;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  file = join(folder, String((files += 1)));
  fd = openSync(file, 'w');
});
afterEach(() => closeSync(fd));

/** What is in a pipe now. */
function readFileOnce(pipe: number): string {
  const bytes = Buffer.alloc(1_000_000);
  try {
    return bytes.toString('utf8', 0, readSync(pipe, bytes));
  } catch {
    return '';
  }
}

const written = (): string => readFileSync(file, 'utf8');

describe('the destination of log lines', () => {
  it('writes them all, in their order', async () => {
    const destination = new LogDestination({ fd });
    const lines = Array.from({ length: 5000 }, (_, place) => `line ${place} ${'ö'.repeat(20)}\n`);
    for (const line of lines) destination.write(line);
    await destination.flush();
    expect(written() === lines.join('')).toBe(true);
  });

  it('writes nothing before it returns: nobody waits for the disk', async () => {
    const destination = new LogDestination({ fd });
    destination.write('alone\n');
    expect(written()).toBe('');
    await destination.flush();
    expect(written()).toBe('alone\n');
    await destination.flush();
  });

  it('writes by itself, also when no more lines come', async () => {
    new LogDestination({ fd }).write('alone\n');
    await eventually(() => expect(written()).toBe('alone\n'));
  });

  it('goes on when a reader who stood still reads again, and nobody writes any more', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const both = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const destination = new LogDestination({ fd: both });
    // More than a pipe holds.
    destination.write(`${'x'.repeat(200_000)}\n`);
    destination.write('the last line\n');
    // Past the time that a line waits for others: its turn comes while the one before is still being written.
    await delay(150);
    let read = '';
    await eventually(() => {
      read += readFileOnce(both);
      expect(read).toMatch(/\nthe last line\n$/);
    });
    closeSync(both);
  });

  it('writes the rest at once at the exit', () => {
    const destination = new LogDestination({ fd });
    destination.write('the last words\n');
    destination.flushSync();
    expect(written()).toBe('the last words\n');
  });

  it('does not hold up the exit for longer than a moment when the reader stands still', () => {
    const pipe = join(folder, 'still');
    execFileSync('mkfifo', [pipe]);
    const both = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const destination = new LogDestination({ fd: both });
    // More than a pipe holds.
    destination.write(`${'x'.repeat(200_000)}\n`);
    const beganAtMs = performance.now();
    destination.flushSync();
    // The reader never reads: without a limit it would last for good.
    expect(performance.now() - beganAtMs).toBeLessThan(60_000);
    closeSync(both);
  });

  it('drops what does not fit into its memory, and says so', async () => {
    const destination = new LogDestination({ fd, waitingMax: 10 });
    for (let line = 0; line < 5; line += 1) destination.write(`line ${line}\n`);
    await destination.flush();
    const [first, second, told = ''] = written().split('\n');
    expect([first, second]).toEqual(['line 0', 'line 1']);
    expect(JSON.parse(told)).toMatchObject({ level: 40, msg: '3 log lines were dropped' });
  });

  it.each([
    ['/v1/psk_8QvR2mXa0123456789abcdefghijklmnop/x', '/v1/psk_***/x'],
    ['/v1/psk%5F8QvR2mXa', '/v1/psk_***'],
    ['a message with PSK_8QvR psk_8QvR2mXa in it', 'a message with PSK_8QvR psk_*** in it'],
    ['psk_a psk_b', 'psk_*** psk_***'],
    ['a desk_top', 'a desk_top'],
  ])('masks API keys: %s', async (line, expected) => {
    const destination = new LogDestination({ fd });
    destination.write(`${line}\n`);
    await destination.flush();
    expect(written()).toBe(`${expected}\n`);
  });

  it('does not fail when nobody reads any more', async () => {
    const gone = openSync(file, 'r');
    const destination = new LogDestination({ fd: gone });
    destination.write('for nobody\n');
    await destination.flush();
    destination.write('for nobody\n');
    destination.flushSync();
    closeSync(gone);
  });
});
