import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { cannot, CliError } from './cli-error.js';

/**
 * A file as text, without a byte order mark, with LF line endings.
 *
 * @throws CliError if it cannot be read or is not UTF-8: it would be misread
 */
export async function readText(path: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of linesOf(path)) {
    if (line === undefined)
      throw new CliError(
        `Line ${lines.length + 1} of ${path} is not UTF-8.`,
        'Save the file in UTF-8, and repeat the command.',
      );
    lines.push(line);
  }
  return lines.join('\n').replace(/^\uFEFF/, '');
}

/**
 * The lines of a file, `-` for standard input; undefined for one that is not UTF-8.
 *
 * @param start where to begin, in bytes
 * @throws CliError if it cannot be read
 */
export async function* linesOf(path: string, start = 0): AsyncGenerator<string | undefined> {
  const input = path === '-' ? process.stdin : createReadStream(path, { start });
  try {
    // One character per byte: in UTF-8, a line feed is never part of another character.
    for await (const line of createInterface({ input: input.setEncoding('latin1'), crlfDelay: Infinity })) {
      const bytes = Buffer.from(line, 'latin1');
      yield isUtf8(bytes) ? bytes.toString() : undefined;
    }
  } catch (error) {
    cannot('read', path)(error);
  }
}
