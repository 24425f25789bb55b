import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FileRecord, RECORD_BYTES_MAX, RecordSplitter } from './record-splitter.js';

interface Split {
  readonly line: number;
  readonly text: string;
  readonly fault: boolean;
}

/** The records of a file that comes in chunks of a size. */
function split(text: string, hasQuotes: boolean, chunkBytes = text.length + 1): readonly Split[] {
  const splitter = new RecordSplitter(hasQuotes);
  const bytes = Buffer.from(text);
  const found: Split[] = [];
  const take = (records: Iterable<FileRecord>): void => {
    for (const { line, bytes: record, fault } of records) {
      found.push({ line, text: record.toString(), fault: fault !== undefined });
    }
  };
  for (let at = 0; at < bytes.length; at += chunkBytes)
    take(splitter.push(bytes.subarray(at, at + chunkBytes)));
  take(splitter.end());
  return found;
}

const sound = (line: number, text: string): Split => ({ line, text, fault: false });

describe('RecordSplitter', () => {
  it('tells on which line each row begins, and passes over empty lines', () => {
    expect(split('a\n\nb\r\nc', false)).toEqual([sound(1, 'a'), sound(3, 'b\r'), sound(4, 'c')]);
    expect(split('a\n', false)).toEqual([sound(1, 'a')]);
    expect(split('', true)).toEqual([]);
  });

  it('goes on over line ends within quotes, of CSV only', () => {
    expect(split('a,"b\nc"\n"d\n""\n"\ne', true)).toEqual([
      sound(1, 'a,"b\nc"'),
      sound(3, '"d\n""\n"'),
      sound(6, 'e'),
    ]);
    expect(split('"a\nb"', false)).toEqual([sound(1, '"a'), sound(2, 'b"')]);
  });

  it('finds the same rows whatever the chunks', () => {
    const pieces = fc.array(fc.constantFrom('a', ',', '"', '\n', '\r\n', 'é', '🐶', '"x\ny"'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, fc.boolean(), fc.integer({ min: 1, max: 9 }), (parts, hasQuotes, chunkBytes) => {
        const text = parts.join('');
        expect(split(text, hasQuotes, chunkBytes)).toEqual(split(text, hasQuotes));
      }),
    );
  });

  it('loses nothing: the rows and their line ends are the file', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ','), minLength: 1 }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 20 }), (texts, chunkBytes) => {
        const found = split(texts.join('\n'), true, chunkBytes);
        expect(found).toEqual(texts.map((text, index) => sound(index + 1, text)));
      }),
    );
  });

  it('takes a quote within a value for no beginning, so that it costs its own line only', () => {
    expect(split('a"b,1\nc\n"d"x"\ne', true).map(({ text }) => text)).toEqual(['a"b,1', 'c', '"d"x"', 'e']);
  });

  it('gives up the line alone whose quote does not end', () => {
    expect(split('a\nb,"c\nd\ne', true)).toEqual([
      sound(1, 'a'),
      { line: 2, text: '', fault: true },
      sound(3, 'd'),
      sound(4, 'e'),
    ]);
    const long = `a,"b\n${'c,d\n'.repeat(RECORD_BYTES_MAX / 4)}e,f\n`;
    const found = split(long, true, 65_536);
    expect(found[0]).toEqual({ line: 1, text: '', fault: true });
    expect(found[1]).toEqual(sound(2, 'c,d'));
    expect(found.at(-1)).toEqual(sound(RECORD_BYTES_MAX / 4 + 2, 'e,f'));
  });

  it('refuses a line that is too long to be held, and reads on after it', () => {
    const text = `a\n${'x'.repeat(3 * RECORD_BYTES_MAX)}\nb`;
    for (const hasQuotes of [true, false]) {
      expect(split(text, hasQuotes, 65_536)).toEqual([
        sound(1, 'a'),
        { line: 2, text: '', fault: true },
        sound(3, 'b'),
      ]);
    }
  });
});
