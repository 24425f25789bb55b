import { isUtf8 } from 'node:buffer';
import { CsvError, type Options, parse } from 'csv-parse/sync';

export type Format = 'ndjson' | 'csv';

/** A row of a file, by the line on which it begins: its value, or why it has none. */
export type FileRow<Value> =
  { readonly line: number; readonly value: Value } | { readonly line: number; readonly fault: string };

type CsvRow = FileRow<readonly string[]>;

/** The longest row that is held in memory. The longest valid pet is 3 KiB; the rest is for members that are ignored. */
export const ROW_BYTES_MAX = 1_048_576;

const TOO_LONG = `The row is longer than ${ROW_BYTES_MAX} bytes.`;
const NOT_UTF8 = 'The row is not valid UTF-8.';
const UNCLOSED_QUOTE = 'A value in quotes begins here and does not end.';
const STRAY_QUOTE = 'A quote stands within a value: put the value in quotes, and each quote in it twice.';

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);
/** Spreadsheets begin their files with it. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The lines of a file, without their line feeds, in batches. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<FileRow<string>[]> {
  let line = 1;
  for await (const block of lineBlocks(source)) {
    if (block === TOO_LONG) yield [{ line: line++, fault: TOO_LONG }];
    else yield linesOf(block).map((value) => rowOf(line++, value));
  }
}

/**
 * The rows of a CSV file (RFC 4180) as arrays of their values, in batches. csv-parse ends at the first quote that is
 * wrong. Here such a quote costs only the line on which its row begins: reading goes on after that line.
 */
export async function* readCsvRows(source: AsyncIterable<Buffer>): AsyncGenerator<CsvRow[]> {
  let line = 1;
  /** The lines of a row that is within quotes at the end of its block. */
  let open: Buffer = NOTHING;
  const read = (bytes: Buffer, isEnd: boolean): CsvRow[] => {
    const decode = isUtf8(bytes) ? asIs : decodeAll;
    const rows: CsvRow[] = [];
    open = NOTHING;
    for (let rest = bytes; rest.length > 0;) {
      const { records, error } = parseUpToError(rest, decode === asIs ? 'utf8' : 'latin1');
      for (const values of records) {
        rows.push(rowOf(line, decode(values)));
        const lines = linesIn(values);
        line += lines;
        if (error !== undefined) rest = withoutLines(rest, lines);
      }
      if (error === undefined) break;
      const isUnclosed = error.code === 'CSV_QUOTE_NOT_CLOSED';
      if (isUnclosed && !isEnd && rest.length <= ROW_BYTES_MAX) {
        open = rest;
        break;
      }
      rows.push({ line: line++, fault: isUnclosed ? UNCLOSED_QUOTE : STRAY_QUOTE });
      rest = withoutLines(rest, 1);
    }
    return rows;
  };
  for await (const block of lineBlocks(source)) {
    if (block === TOO_LONG) yield [...read(open, true), { line: line++, fault: TOO_LONG }];
    else yield read(Buffer.concat([open, block]), false);
  }
  yield read(open, true);
}

/** Splits a file into blocks of whole lines, each with its line feed. `TOO_LONG` stands for one line. */
async function* lineBlocks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer | typeof TOO_LONG> {
  let isFirst = true;
  let isSkipping = false;
  /** A line whose end is not there yet. */
  let rest: Buffer = NOTHING;
  for await (const chunk of source) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (isSkipping) {
      const end = bytes.indexOf(LINE_FEED);
      if (end === -1) continue;
      bytes = bytes.subarray(end + 1);
      isSkipping = false;
    }
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield withoutMark(bytes.subarray(0, end), isFirst);
      isFirst = false;
    }
    rest = bytes.subarray(end);
    if (rest.length > ROW_BYTES_MAX) {
      yield TOO_LONG;
      rest = NOTHING;
      isFirst = false;
      isSkipping = true;
    }
  }
  if (rest.length > 0) yield withoutMark(Buffer.concat([rest, Buffer.of(LINE_FEED)]), isFirst);
}

const withoutMark = (block: Buffer, isFirst: boolean): Buffer =>
  isFirst && block.indexOf(BYTE_ORDER_MARK) === 0 ? block.subarray(BYTE_ORDER_MARK.length) : block;

/** The lines of a block; undefined where one is not UTF-8. */
function linesOf(block: Buffer): readonly (string | undefined)[] {
  // The block is decoded at once, which costs a fraction of doing so line by line.
  const lines = isUtf8(block)
    ? block.toString('utf8').split('\n')
    : block.toString('latin1').split('\n').map(decodeLatin1);
  return lines.slice(0, -1);
}

/** Text of bytes that were read as Latin-1, one byte a character; undefined when they are not UTF-8. */
function decodeLatin1(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

const rowOf = <Value>(line: number, value: Value | undefined): FileRow<Value> =>
  value === undefined ? { line, fault: NOT_UTF8 } : { line, value };

const asIs = (values: readonly string[]): readonly string[] => values;

function decodeAll(values: readonly string[]): readonly string[] | undefined {
  const decoded = values.map(decodeLatin1);
  return decoded.every((value) => value !== undefined) ? decoded : undefined;
}

/** `error` is why the record after these cannot be read. */
function parseUpToError(
  bytes: Buffer,
  encoding: BufferEncoding,
): { readonly records: string[][]; readonly error?: CsvError } {
  const options: Options = { encoding, record_delimiter: ['\n', '\r\n'], relax_column_count: true };
  try {
    return { records: parse(bytes, options) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const count = Number(error['records']);
    return { records: count === 0 ? [] : parse(bytes, { ...options, to: count }), error };
  }
}

/** Not csv-parse's `info.lines`, which counts the CRLF within quotes twice, and which makes parsing three times as slow. */
const linesIn = (values: readonly string[]): number =>
  values.reduce((lines, value) => (value.includes('\n') ? lines + value.split('\n').length - 1 : lines), 1);

function withoutLines(bytes: Buffer, count: number): Buffer {
  let start = 0;
  for (let line = 0; line < count; line += 1) start = bytes.indexOf(LINE_FEED, start) + 1;
  return bytes.subarray(start);
}
