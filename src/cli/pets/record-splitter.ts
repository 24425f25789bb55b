/** A piece of a file that should be one row. */
export interface FileRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Without the line end. */
  readonly bytes: Buffer;
  /** Why it is none, if it is known already. */
  readonly fault?: string;
}

/** The longest row that is held. The longest legal animal is 3 KiB; the rest is for members that are ignored. */
export const RECORD_BYTES_MAX = 1_048_576;

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;

const TOO_LONG = `The row is longer than ${RECORD_BYTES_MAX} bytes.`;
const UNENDING = 'A value in quotes begins here and does not end.';

/** Splits a file, given chunk by chunk, into its rows: at line ends, in CSV at those that are not within quotes. */
export class RecordSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;
  /** Within a line that is too long: what comes up to its end is nothing. */
  #isSkipping = false;

  constructor(private readonly hasQuotes: boolean) {}

  *push(chunk: Buffer): Generator<FileRecord> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    if (this.#isSkipping) {
      const end = bytes.indexOf(LINE_FEED);
      if (end === -1) return;
      this.#isSkipping = false;
      this.#line += 1;
      start = end + 1;
    }
    for (;;) {
      const end = this.#endOf(bytes, start);
      if (end !== -1) {
        yield* this.#record(bytes.subarray(start, end));
        start = end + 1;
        continue;
      }
      if (bytes.length - start <= RECORD_BYTES_MAX) break;
      const lineEnd = bytes.indexOf(LINE_FEED, start);
      if (lineEnd === -1) {
        yield { line: this.#line, bytes: Buffer.alloc(0), fault: TOO_LONG };
        this.#isSkipping = true;
        this.#rest = Buffer.alloc(0);
        return;
      }
      start = yield* this.#unending(lineEnd);
    }
    // A copy: the chunk need not be kept for its last bytes.
    this.#rest = Buffer.from(bytes.subarray(start));
  }

  /** What is left when the file ends without a line end. */
  *end(): Generator<FileRecord> {
    const bytes = Buffer.concat([this.#rest, Buffer.from('\n')]);
    this.#rest = Buffer.alloc(0);
    let start = 0;
    while (start < bytes.length && !this.#isSkipping) {
      const end = this.#endOf(bytes, start);
      if (end === -1) {
        start = yield* this.#unending(bytes.indexOf(LINE_FEED, start));
      } else {
        yield* this.#record(bytes.subarray(start, end));
        start = end + 1;
      }
    }
  }

  *#record(bytes: Buffer): Generator<FileRecord> {
    const line = this.#line;
    this.#line += 1;
    if (this.hasQuotes) this.#line += countOf(LINE_FEED, bytes);
    if (bytes.length > 0) yield { line, bytes };
  }

  /** Gives a line up whose quote is never closed, so that the lines after it can be read. Returns where they begin. */
  *#unending(lineEnd: number): Generator<FileRecord, number> {
    yield { line: this.#line, bytes: Buffer.alloc(0), fault: UNENDING };
    this.#line += 1;
    return lineEnd + 1;
  }

  /** Where the row that begins at `start` ends, or -1 when that is not in `bytes`. */
  #endOf(bytes: Buffer, start: number): number {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    const hasQuotes =
      this.hasQuotes && bytes.subarray(start, lineEnd === -1 ? undefined : lineEnd).includes(QUOTE);
    return hasQuotes ? endOfQuotedRow(bytes, start) : lineEnd;
  }
}

/** The same for a row with quotes. They open a value at its beginning alone, so that a stray one costs its own line only. */
function endOfQuotedRow(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    if (bytes[at] === QUOTE) {
      const closing = closingQuote(bytes, at + 1);
      if (closing === -1) return -1;
      at = closing + 1;
    }
    while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== LINE_FEED) at += 1;
    if (bytes[at] === LINE_FEED) return at;
    at += 1;
  }
  return -1;
}

/** The first quote that is not one of two, or -1, also when the next byte would have to tell. */
function closingQuote(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(QUOTE, from);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at === bytes.length - 1 ? -1 : at;
}

function countOf(byte: number, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}
