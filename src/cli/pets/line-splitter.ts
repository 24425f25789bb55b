import { isUtf8 } from 'node:buffer';

/** A piece of a file that should be a row, or a part of one. */
export interface Line {
  /** Where it begins, from 1. */
  readonly number: number;
  /** Without the line end. */
  readonly text: string;
  /** Why it is no row, if that is known already. */
  readonly fault?: string;
}

/** The longest line that is held. The longest legal animal is 3 KiB; the rest is for members that are ignored. */
export const LINE_BYTES_MAX = 1_048_576;

const TOO_LONG = `The row is longer than ${LINE_BYTES_MAX} bytes.`;
const NOT_UTF8 = 'The row is not valid UTF-8.';

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

/** Splits a file, given chunk by chunk, into its lines. */
export class LineSplitter {
  /** What came after the last line end. */
  #rest: Buffer = NOTHING;
  #number = 1;
  /** Whether the rest of a line is passed over, because its beginning was too long. */
  #isSkipping = false;

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    const lastEnd = chunk.lastIndexOf(LINE_FEED);
    if (lastEnd !== -1) {
      const whole = chunk.subarray(0, lastEnd);
      this.#split(this.#rest.length === 0 ? whole : Buffer.concat([this.#rest, whole]), lines);
      this.#rest = NOTHING;
    }
    const rest = chunk.subarray(lastEnd + 1);
    if (this.#isSkipping || rest.length === 0) return lines;
    // A copy: the chunk need not be kept for its last bytes.
    this.#rest = Buffer.concat([this.#rest, rest]);
    if (this.#rest.length > LINE_BYTES_MAX) {
      lines.push({ number: this.#number, text: '', fault: TOO_LONG });
      this.#rest = NOTHING;
      this.#isSkipping = true;
    }
    return lines;
  }

  /** The last line, when it has no line end. */
  end(): Line[] {
    const lines: Line[] = [];
    if (this.#rest.length > 0) this.#split(this.#rest, lines);
    this.#rest = NOTHING;
    return lines;
  }

  /** Adds the lines of bytes that have all line ends but the last. */
  #split(bytes: Buffer, lines: Line[]): void {
    // Decoded at once, which costs a fraction of doing so line by line.
    const texts = bytes.toString('utf8').split('\n');
    const wrong = isUtf8(bytes) ? undefined : linesNotUtf8(bytes);
    for (const [index, text] of texts.entries()) {
      const number = this.#number;
      this.#number += 1;
      if (this.#isSkipping) this.#isSkipping = false;
      else if (wrong?.has(index) === true) lines.push({ number, text: '', fault: NOT_UTF8 });
      else lines.push({ number, text });
    }
  }
}

/** Which lines are not UTF-8. A line end is one also where the bytes before it are wrong. */
function linesNotUtf8(bytes: Buffer): ReadonlySet<number> {
  const wrong = new Set<number>();
  let start = 0;
  for (let index = 0; start <= bytes.length; index += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (!isUtf8(line)) wrong.add(index);
    if (end === -1) break;
    start = end + 1;
  }
  return wrong;
}
