import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { cannot, CliError } from './cli-error.js';

/**
 * A file as text, without a byte order mark, and with line feeds alone.
 *
 * @throws CliError if it cannot be read or is not UTF-8: its characters would be read wrongly
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
    // A character for each byte: a line feed is no part of another character in UTF-8.
    for await (const line of createInterface({ input: input.setEncoding('latin1'), crlfDelay: Infinity })) {
      const bytes = Buffer.from(line, 'latin1');
      yield isUtf8(bytes) ? bytes.toString() : undefined;
    }
  } catch (error) {
    cannot('read', path)(error);
  }
}
