import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { cannot, CliError } from './cli-error.js';

/**
 * A file as text, without a byte order mark.
 *
 * @throws CliError if it cannot be read or is not UTF-8: its characters would be read wrongly
 */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path).catch(cannot('read', path));
  if (isUtf8(bytes)) return bytes.toString().replace(/^\uFEFF/, '');
  // A line feed is no part of another character in UTF-8.
  const lines = bytes.toString('latin1').split('\n');
  const number = 1 + lines.findIndex((line) => textOf(line) === undefined);
  throw new CliError(
    `Line ${number} of ${path} is not UTF-8.`,
    'Save the file in UTF-8, and repeat the command.',
  );
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
    for await (const line of createInterface({ input: input.setEncoding('latin1'), crlfDelay: Infinity }))
      yield textOf(line);
  } catch (error) {
    cannot('read', path)(error);
  }
}

/** @param line its bytes, a character each */
function textOf(line: string): string | undefined {
  const bytes = Buffer.from(line, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
