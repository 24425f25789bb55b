import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CsvRows } from './csv-rows.js';
import { LINE_BYTES_MAX, type Line, LineSplitter } from './line-splitter.js';

/** The lines of a file that comes in chunks of a size. */
function linesOf(content: string | Buffer, chunkBytes = 65_536): Line[] {
  const splitter = new LineSplitter();
  const bytes = Buffer.from(content);
  const lines: Line[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    lines.push(...splitter.push(bytes.subarray(at, at + chunkBytes)));
  }
  return [...lines, ...splitter.end()];
}

/** The same for the rows of CSV; their lines come one by one. */
function rowsOf(content: string, chunkBytes = 65_536): Line[] {
  const rows = new CsvRows();
  return [...linesOf(content, chunkBytes).flatMap((line) => rows.join([line])), ...rows.end()];
}

const unending = (number: number): Line => ({
  number,
  text: '',
  fault: expect.stringMatching(/does not end/) as unknown as string,
});

describe('LineSplitter', () => {
  it('numbers the lines, of which the last may have no end', () => {
    expect(linesOf('a\n\nb\r\nc')).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '' },
      { number: 3, text: 'b\r' },
      { number: 4, text: 'c' },
    ]);
    expect(linesOf('a\n')).toEqual([{ number: 1, text: 'a' }]);
    expect(linesOf('')).toEqual([]);
  });

  it('loses nothing, whatever the chunks', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é', '🐶') });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (content, chunkBytes) => {
        const wanted = content.split('\n');
        if (wanted.at(-1) === '') wanted.pop();
        expect(linesOf(content, chunkBytes)).toEqual(
          wanted.map((line, index) => ({ number: index + 1, text: line })),
        );
      }),
    );
  });

  it('refuses a line that is too long to be held, and reads on after it', () => {
    expect(linesOf(`a\n${'x'.repeat(3 * LINE_BYTES_MAX)}\nb`)).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '', fault: expect.stringMatching(/longer than/) },
      { number: 3, text: 'b' },
    ]);
  });

  it('refuses exactly the lines that are not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('é\n'),
      Buffer.from([0xff, 0x0a, 0xf0, 0x9f, 0x0a]),
      Buffer.from('🐶\n'),
      Buffer.from([0xc3]),
    ]);
    for (const chunkBytes of [1, 2, 65_536]) {
      const lines = linesOf(bytes, chunkBytes);
      expect(lines.map(({ fault }) => fault !== undefined)).toEqual([false, true, true, false, true]);
      expect(lines.map(({ text }) => text)).toEqual(['é', '', '', '🐶', '']);
    }
  });
});

describe('CsvRows', () => {
  it('goes on over line ends within quotes', () => {
    expect(rowsOf('a,"b\nc"\n"d\n""\n"\ne')).toEqual([
      { number: 1, text: 'a,"b\nc"' },
      { number: 3, text: '"d\n""\n"' },
      { number: 6, text: 'e' },
    ]);
  });

  it('takes a quote within a value for no beginning, so that it costs its own line only', () => {
    expect(rowsOf('a"b,1\nc\n"d"x"\ne').map(({ text }) => text)).toEqual(['a"b,1', 'c', '"d"x"', 'e']);
  });

  it('finds every row that was written, whatever is in it and whatever the chunks', () => {
    const value = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é'), minLength: 1, maxLength: 6 });
    const quoted = value.map((text) => `"${text.replaceAll('"', '""')}"`);
    const row = fc.array(fc.oneof(quoted, fc.constantFrom('a', 'b c')), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 20 }), (rows, chunkBytes) => {
        const wanted = rows.map((values) => values.join(','));
        const found = rowsOf(wanted.join('\n'), chunkBytes);
        expect(found.map(({ text }) => text)).toEqual(wanted);
      }),
    );
  });

  it('gives up the line alone whose quote does not end', () => {
    expect(rowsOf('a\nb,"c\nd\ne')).toEqual([
      { number: 1, text: 'a' },
      unending(2),
      { number: 3, text: 'd' },
      { number: 4, text: 'e' },
    ]);
    const lines = 1 + LINE_BYTES_MAX / 4;
    const found = rowsOf(`a,"b\n${'c,defg\n'.repeat(lines)}`);
    expect(found).toHaveLength(lines + 1);
    expect(found.slice(0, 2)).toEqual([unending(1), { number: 2, text: 'c,defg' }]);
    expect(found.at(-1)).toEqual({ number: lines + 1, text: 'c,defg' });
  });

  it('refuses a row with a line that cannot be read', () => {
    const rows = new CsvRows();
    expect(
      rows.join([
        { number: 1, text: '"a' },
        { number: 2, text: '', fault: 'no' },
        { number: 3, text: 'b"' },
      ]),
    ).toEqual([{ number: 1, text: '"a\n\nb"', fault: 'no' }]);
  });
});
