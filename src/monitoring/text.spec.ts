import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCsv } from './text.js';

/** What spreadsheets split a line at, by the settings of their users. */
const SEPARATORS = [',', ';', '\t', '|', '\r', '\n'];
/** What they read as the beginning of a formula, in front of which they leave out white space. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/;

const named = (name: string): string => toCsv(['id', 'name', 'plan_id'], [{ id: 1n, name }]);

it('runs no name as a formula, whatever a spreadsheet takes as the separator', () => {
  const part = fc.constantFrom(...SEPARATORS, ' ', '"', "'", '=', '+', '-', '@', '\uFF1D', 'x', 'cmd|');
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      fc.constantFrom(...SEPARATORS),
      (name, separator) => {
        const [, ...cells] = named(name).split(separator);
        for (const one of cells) expect(one.replace(/^"/, '')).not.toMatch(FORMULA);
      },
    ),
    { numRuns: 2000 },
  );
});

it('leaves other names unchanged, in UTF-8 with a BOM', () => {
  expect(named('Rex & Söhne; "Acme"-Shop')).toMatch(
    /^\uFEFF"id","name","plan_id"\r\n"1","Rex & Söhne; ""Acme""-Shop",\r\n$/,
  );
});
