import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useDatabase } from '../../test/support/use-service.js';
import { etagOf, isMatch, parseIfMatch, parseIfNoneMatch, parsePreconditions } from './etag.js';
import { cases } from '../../test/support/cases.js';

const database = useDatabase();

describe('the tag of a text', () => {
  it('is a strong one of 22 characters that need no escaping', () => {
    expect(etagOf('')).toBe('"47DEQpj8HBSa-_TImW-5JC"');
  });

  it('is the same in SQL, of any text', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 60 }), async (texts) => {
        const { rows } = await database.pool.query<{ etag: string }>(
          `select etag_of(text) as etag from unnest($1::text[]) with ordinality as t (text, n) order by n`,
          [texts],
        );
        expect(rows.map(({ etag }) => etag)).toEqual(texts.map(etagOf));
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('If-Match', () => {
  it.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['"a"']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b"\t,\t"c"', ['"a"', '"b"', '"c"']],
    [', "a" ,, "b",', ['"a"', '"b"']],
    ['"a,b"', ['"a,b"']],
    ['""', ['""']],
    ['"\u00e9!#~"', ['"\u00e9!#~"']],
  ])('%j: %j', (header, condition) => {
    expect(parseIfMatch(header)).toEqual(condition);
  });

  it.each([['W/"a"'], ['W/"a", W/"b"'], ['w/"a"']])('%j: no strong tag', (header) => {
    expect(parseIfMatch(header)).toEqual([]);
  });

  it('leaves weak tags out of a list', () => {
    expect(parseIfMatch('W/"a", "b", W/"c"')).toEqual(['"b"']);
  });

  it.each([
    [''],
    ['a'],
    ['"a'],
    ['"a" "b"'],
    ['"a"; "b"'],
    ['"a", b'],
    ['*, "a"'],
    ['"a", *'],
    ['W/ "a"'],
    ['"a b"'],
    ['"a\u007f"'],
    ['"a\\"b"'],
  ])('%j: malformed, which matches nothing', (header) => {
    const condition = parseIfMatch(header);
    expect([isMatch(condition, '"a"'), isMatch(condition, '"b"')]).toEqual([false, false]);
  });

  it('reads back whatever list was written', () => {
    const tag = fc.tuple(fc.constantFrom('', 'W/'), fc.stringMatching(/^"[!#-~\u0080-\u00ff]{0,30}"$/));
    const space = fc.constantFrom('', ' ', '\t', ' \t ');
    const comma = fc.tuple(space, fc.constantFrom(',', ', ,'), space).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(tag, comma), { minLength: 1 }), space, (list, after) => {
        const header = `${list.map(([[weak, text], between]) => `${weak}${text}${between}`).join('')}${after}`;
        const strong = list.filter(([[weak]]) => weak === '').map(([[, text]]) => text);
        expect(parseIfMatch(header)).toEqual(strong);
      }),
    );
  });
});

const isNoneMatch = (header: string, etag: string): boolean => !isMatch(parseIfNoneMatch(header), etag);

describe('If-None-Match', () => {
  it('compares weakly', () => {
    expect(['"a"', 'W/"a"', '"b", "a"', '*'].map((header) => isNoneMatch(header, '"a"'))).toEqual(
      Array(4).fill(false),
    );
    expect(isNoneMatch('"b", W/"c"', '"a"')).toBe(true);
  });

  it('matches nothing when it is malformed', () => {
    for (const header of ['x"a"', '"a" "b"', '"b"; "a"', 'w/"a"', '"a', '*, "a"']) {
      expect(isNoneMatch(header, '"a"')).toBe(true);
    }
  });
});

describe('the conditions of a write', () => {
  it('hold in SQL for exactly the same representations', async () => {
    const texts = ['', 'a', 'b'];
    const tag = fc.oneof(
      fc.constantFrom(...texts.map(etagOf)),
      fc.stringMatching(/^"[!#-~\u0080-\u00ff]{0,5}"$/),
    );
    const list = fc.array(fc.tuple(fc.constantFrom('', 'W/'), tag).map(([weak, one]) => `${weak}${one}`));
    const condition = fc.oneof(
      fc.constantFrom(undefined, '*', 'malformed'),
      list.map((tags) => tags.join(', ')),
    );
    await fc.assert(
      fc.asyncProperty(condition, condition, fc.constantFrom(...texts), async (match, noneMatch, text) => {
        const headers = {
          ...(match !== undefined && { 'if-match': match }),
          ...(noneMatch !== undefined && { 'if-none-match': noneMatch }),
        };
        const { ifMatch, ifNoneMatch } = parsePreconditions(headers);
        const { rows } = await database.pool.query('select meets_preconditions($1, $2, $3) as holds', [
          text,
          ifMatch,
          ifNoneMatch,
        ]);
        const holds =
          (match === undefined || isMatch(parseIfMatch(match), etagOf(text))) &&
          (noneMatch === undefined || isNoneMatch(noneMatch, etagOf(text)));
        expect(rows).toEqual([{ holds }]);
      }),
      { numRuns: cases(500) },
    );
  });
});
