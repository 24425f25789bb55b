import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cwd, execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const DESTINATION = pathToFileURL(join(cwd(), 'dist/operations/logging/log-destination.js')).href;

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
