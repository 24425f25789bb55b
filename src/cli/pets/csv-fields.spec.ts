import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvFields } from './csv-fields.js';

/** Written as RFC 4180 has it, in quotes where they are needed or wanted. */
const written = (value: string, wantsQuotes: boolean): string =>
  wantsQuotes || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;

describe('csvFields', () => {
  it('reads back whatever was written', () => {
    const value = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', '🐶'), maxLength: 8 });
    const row = fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(row, (values) => {
        const text = values.map(([one, wantsQuotes]) => written(one, wantsQuotes)).join(',');
        expect(csvFields(text)).toEqual(values.map(([one]) => one));
      }),
    );
  });

  it.each(['a"b', 'a,b"', '"a"b', '"a', 'a,"b""', '"a" ,b', ' "a"'])(
    'refuses quotes that do not fit: %s',
    (row) => {
      expect(csvFields(row)).toBeUndefined();
    },
  );

  it('takes what is between two commas for an empty value', () => {
    expect(csvFields(',')).toEqual(['', '']);
    expect(csvFields('"",""')).toEqual(['', '']);
    expect(csvFields('')).toEqual(['']);
  });
});
