import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../http/input/int64.js';
import { parseJsonText } from '../../http/input/json-body.js';
import { readRightPet } from './imported-pet.js';
import { readByRules } from './read-by-rules.js';

/** Members as people write them, right and wrong. */
const number = fc.oneof(
  fc.bigInt({ min: INT64_MIN - 2n, max: INT64_MIN + 2n }).map(String),
  fc.bigInt({ min: INT64_MAX - 2n, max: INT64_MAX + 2n }).map(String),
  fc.constantFrom(
    '7',
    '7.0',
    '7e0',
    '7.5',
    '-0',
    '1e999',
    '9007199254740993',
    '"7"',
    'true',
    'null',
    '[]',
    '{}',
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '""',
    '"  "',
    '"\\u0000a"',
    '"\\ud800"',
    'null',
    '7',
    JSON.stringify('é'.repeat(255)),
    JSON.stringify('🐶'.repeat(256)),
  ),
);
const status = fc.constantFrom(
  '"available"',
  '"pending"',
  '"sold"',
  '"gone"',
  '""',
  'null',
  '1',
  '"constructor"',
);
const absent = fc.constant(undefined);

const row = fc
  .record({
    name: fc.oneof({ weight: 9, arbitrary: text }, absent),
    categoryId: fc.oneof({ weight: 9, arbitrary: number }, absent),
    status: fc.oneof(status, absent),
    id: fc.oneof(number, absent),
    other: fc.oneof(absent, absent, text),
  })
  .map((members) =>
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `"${name}":${value}`)
      .join(','),
  )
  .map((members) => `{${members}}`);

describe('readRightPet', () => {
  it('takes exactly what the rules of POST /v1/pets take, with the same values', () => {
    let taken = 0;
    fc.assert(
      fc.property(row, fc.boolean(), (json, takesIds) => {
        const body = parseJsonText(json);
        const pet = readRightPet(body, takesIds);
        if (pet === undefined) {
          expect(() => readByRules(body, takesIds)).toThrow();
        } else {
          expect(readByRules(body, takesIds)).toEqual(pet);
          taken += 1;
        }
      }),
      { numRuns: 500 },
    );
    // Else it would have seen refusals alone.
    expect(taken).toBeGreaterThan(5);
  });

  it.each([null, 7, 'Rex', []])('leaves %j to the rules, which refuse it', (value) => {
    expect(readRightPet(value, true)).toBeUndefined();
    expect(() => readByRules(value, true)).toThrow('The body must be a JSON object.');
  });
});
