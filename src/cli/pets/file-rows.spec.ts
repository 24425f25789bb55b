import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FileRow, readCsvRows, readLines, ROW_BYTES_MAX } from './file-rows.js';

/** The rows of a file that comes in chunks of a size. */
async function rowsOf<Value>(
  read: (source: AsyncIterable<Buffer>) => AsyncIterable<FileRow<Value>[]>,
  content: string | Buffer,
  chunkBytes = 65_536,
): Promise<FileRow<Value>[]> {
  const bytes = Buffer.from(content);
  // oxlint-disable-next-line require-await -- readers take what arrives over time
  const chunks = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  };
  const rows: FileRow<Value>[] = [];
  for await (const batch of read(chunks())) for (const row of batch) rows.push(row);
  return rows;
}

const linesOf = (content: string | Buffer, chunkBytes?: number): Promise<FileRow<string>[]> =>
  rowsOf(readLines, content, chunkBytes);

const csvOf = (content: string | Buffer, chunkBytes?: number): Promise<FileRow<readonly string[]>[]> =>
  rowsOf(readCsvRows, content, chunkBytes);

const fault = (line: number, text: RegExp): unknown => ({ line, fault: expect.stringMatching(text) });

/** Written as RFC 4180 has it, in quotes where they are needed or wanted. */
const written = (value: string, wantsQuotes: boolean): string =>
  wantsQuotes || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

describe('readLines', () => {
  it('numbers the lines, of which the last may have no end', async () => {
    expect(await linesOf('a\n\nb\r\nc')).toEqual([
      { line: 1, value: 'a' },
      { line: 2, value: '' },
      { line: 3, value: 'b\r' },
      { line: 4, value: 'c' },
    ]);
    expect(await linesOf('a\n')).toEqual([{ line: 1, value: 'a' }]);
    expect(await linesOf('')).toEqual([]);
  });

  it('loses nothing, whatever the chunks', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é', '🐶') });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (content, chunkBytes) => {
        const wanted = content.split('\n');
        if (wanted.at(-1) === '') wanted.pop();
        expect(await linesOf(content, chunkBytes)).toEqual(
          wanted.map((value, index) => ({ line: index + 1, value })),
        );
      }),
    );
  });

  it('ignores a byte order mark at the beginning of the file alone', async () => {
    for (const chunkBytes of [1, 65_536]) {
      expect(await linesOf('\ufeffa\n\ufeffb', chunkBytes)).toEqual([
        { line: 1, value: 'a' },
        { line: 2, value: '\ufeffb' },
      ]);
    }
  });

  it('rejects a line that is too long to be held, and reads on after it', async () => {
    const content = `a\n${'x'.repeat(3 * ROW_BYTES_MAX)}\nb`;
    expect(await linesOf(content)).toEqual([
      { line: 1, value: 'a' },
      fault(2, /longer than/),
      { line: 3, value: 'b' },
    ]);
    expect(await csvOf(content)).toEqual([
      { line: 1, value: ['a'] },
      fault(2, /longer than/),
      { line: 3, value: ['b'] },
    ]);
  });

  it('rejects exactly the lines that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('é\n'),
      Buffer.from([0xff, 0x0a, 0xf0, 0x9f, 0x0a]),
      Buffer.from('🐶\n'),
      Buffer.from([0xc3]),
    ]);
    const isNoText = /not valid UTF-8/;
    for (const chunkBytes of [1, 2, 65_536]) {
      for (const [read, value] of [
        [linesOf, (text: string): unknown => text],
        [csvOf, (text: string): unknown => [text]],
      ] as const) {
        expect(await read(bytes, chunkBytes)).toEqual([
          { line: 1, value: value('é') },
          fault(2, isNoText),
          fault(3, isNoText),
          { line: 4, value: value('🐶') },
          fault(5, isNoText),
        ]);
      }
    }
  });
});

describe('readCsvRows', () => {
  it('reads back every row that was written, whatever is in it and whatever the chunks', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '🐶'),
      maxLength: 8,
    });
    const row = fc.array(fc.tuple(text, fc.boolean()), { minLength: 1, maxLength: 5 });
    const lineEnd = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 8 }),
        lineEnd,
        fc.integer({ min: 1, max: 20 }),
        async (rows, end, chunkBytes) => {
          let line = 1;
          const wanted: FileRow<readonly string[]>[] = [];
          let content = '';
          for (const values of rows) {
            wanted.push({ line, value: values.map(([value]) => value) });
            const one = values.map(([value, wantsQuotes]) => written(value, wantsQuotes)).join(',') + end;
            line += one.split('\n').length - 1;
            content += one;
          }
          expect(await csvOf(content, chunkBytes)).toEqual(wanted);
        },
      ),
    );
  });

  it('goes on over line ends within quotes', async () => {
    expect(await csvOf('a,"b\nc"\n"d\r\n""\n"\r\ne')).toEqual([
      { line: 1, value: ['a', 'b\nc'] },
      { line: 3, value: ['d\r\n"\n'] },
      { line: 6, value: ['e'] },
    ]);
  });

  it('takes what is between two commas for an empty value', async () => {
    expect(await csvOf(',\n"",""\n\n')).toEqual([
      { line: 1, value: ['', ''] },
      { line: 2, value: ['', ''] },
      { line: 3, value: [''] },
    ]);
  });

  it.each(['a"b', '"a"b', '"a" ,b', ' "a"', '"d"x"'])(
    'rejects a line with a quote that is wrong, and no other: %s',
    async (row) => {
      expect(await csvOf(`a,1\n${row}\nb,2\n"c",3`)).toEqual([
        { line: 1, value: ['a', '1'] },
        fault(2, /stands within a value/),
        { line: 3, value: ['b', '2'] },
        { line: 4, value: ['c', '3'] },
      ]);
    },
  );

  it.each(['a,b"', 'a,"b""', '"a'])(
    'rejects a quote that is wrong at the end of the file: %s',
    async (row) => {
      expect(await csvOf(`a\n${row}`)).toEqual([{ line: 1, value: ['a'] }, fault(2, /quote/i)]);
    },
  );

  it('rejects only the line whose quote does not end', async () => {
    expect(await csvOf('a\nb,"c\nd\ne')).toEqual([
      { line: 1, value: ['a'] },
      fault(2, /does not end/),
      { line: 3, value: ['d'] },
      { line: 4, value: ['e'] },
    ]);
    const lines = 1 + ROW_BYTES_MAX / 4;
    const found = await csvOf(`a,"b\n${'c,defg\n'.repeat(lines)}`);
    expect(found).toHaveLength(lines + 1);
    expect(found.slice(0, 2)).toEqual([fault(1, /does not end/), { line: 2, value: ['c', 'defg'] }]);
    expect(found.at(-1)).toEqual({ line: lines + 1, value: ['c', 'defg'] });
  });

  it('rejects a row with a line that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('"a\n'), Buffer.from([0xff]), Buffer.from('\nb"\nc')]);
    expect(await csvOf(bytes)).toEqual([fault(1, /not valid UTF-8/), { line: 4, value: ['c'] }]);
  });
});
