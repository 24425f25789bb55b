import { describe, expect, it } from '@jest/globals';
import { type ClassConstructor, Exclude, Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { IsIn, IsString, ValidateBy, ValidateNested, validateSync } from 'class-validator';
import fc from 'fast-check';
import { ListPetsQuery, NewPetBody } from '../../pets/pets.dto.js';
import { ListOrdersQuery, NewOrderBody, OrderChangeBody } from '../../store/orders.dto.js';
import { parseJsonText } from './json-body.js';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { quickReaderOf, READ_OPTIONS } from './quick-reader.js';

/** As the libraries read it; undefined where they find a fault. */
function readByLibraries(dto: ClassConstructor<object>, plain: object): object | undefined {
  const input = plainToInstance(dto, plain, READ_OPTIONS);
  const faults = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  return faults.length === 0 ? input : undefined;
}

/** Values as people write them in JSON, right and wrong. */
const value = fc.oneof(
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
    '100',
    '101',
  ),
  fc.bigInt({ min: INT64_MIN - 2n, max: INT64_MIN + 2n }).map(String),
  fc.bigInt({ min: INT64_MAX - 2n, max: INT64_MAX + 2n }).map(String),
  fc.constantFrom('"available"', '"sold"', '"placed"', '"delivered"', '"gone"', '"constructor"'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('""', '"  "', '"\\u0000a"', '"\\ud800"', '[]', '{}', '["available"]', '{"then":7}'),
  fc.constantFrom('é'.repeat(255), '🐶'.repeat(255), '🐶'.repeat(256)).map((text) => JSON.stringify(text)),
);

const NAMES = ['name', 'categoryId', 'status', 'petId', 'limit', 'cursor', 'other', 'toString'];

/** At random hardly anything has both at once. */
const PET = [
  ['name', '"Rex"'],
  ['categoryId', '7'],
] as const;

const plain = fc
  .tuple(
    fc.constantFrom([], PET),
    fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), value), { selector: ([name]) => name }),
  )
  .map(([usual, members]) => Array.from(new Map([...usual, ...members])))
  .map((members) => parseJsonText(`{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`));

describe('a quick reader', () => {
  it.each([NewPetBody, NewOrderBody, OrderChangeBody, ListPetsQuery, ListOrdersQuery])(
    'reads what the libraries read, and nothing that they refuse (%p)',
    (dto) => {
      const read = quickReaderOf(dto);
      let taken = 0;
      fc.assert(
        fc.property(plain, (input) => {
          const expected = readByLibraries(dto, input as object);
          const quick = read?.(input as Record<string, unknown>);
          expect(quick).toStrictEqual(expected);
          if (quick !== undefined) taken += 1;
        }),
        { numRuns: 2000 },
      );
      // Else it would have seen refusals alone.
      expect(taken).toBeGreaterThan(10);
    },
  );

  it('tells a transform what the library would', () => {
    const told: unknown[] = [];
    class Told {
      @Expose()
      @Transform((params) => {
        told.push(params);
        return 'read';
      })
      @IsString()
      readonly text!: string;
    }
    const input = { text: 'sent', other: 1 };
    expect(quickReaderOf(Told)?.(input)).toStrictEqual(readByLibraries(Told, input));
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ value: 'sent', key: 'text', obj: input, type: 0, options: READ_OPTIONS });
    expect(told[1]).toMatchObject(told[0] as object);
  });

  it('is there for no DTO with a decorator whose meaning it does not know', () => {
    class Nothing {}
    class Renamed {
      @Expose({ name: 'other' })
      @IsString()
      readonly text!: string;
    }
    class Typed {
      @Expose()
      @Type(() => String)
      readonly text!: string;
    }
    class Nested {
      @Expose()
      @ValidateNested()
      readonly pet!: NewPetBody;
    }
    class Each {
      @Expose()
      @IsString({ each: true })
      readonly texts!: string[];
    }
    class ForSome {
      @Expose()
      @IsString({ groups: ['some'] })
      readonly text!: string;
    }
    class InOneDirection {
      @Expose()
      @Transform(({ value: sent }) => sent as unknown, { toClassOnly: true })
      readonly text!: string;
    }
    class Excluded {
      @Expose()
      @Exclude()
      readonly text!: string;
    }
    class NotExposed {
      @Expose()
      readonly text!: string;
      @IsString()
      readonly hidden = 7;
    }
    class Accessor {
      @Expose()
      get text(): string {
        return '';
      }
    }
    class RuleWithCondition {
      @Expose()
      @IsIn(['a'], { validateIf: () => false })
      readonly text!: string;
    }
    for (const dto of [
      Nothing,
      Renamed,
      Typed,
      Nested,
      Each,
      ForSome,
      InOneDirection,
      Excluded,
      NotExposed,
      Accessor,
      RuleWithCondition,
    ]) {
      expect([dto.name, quickReaderOf(dto)]).toEqual([dto.name, undefined]);
    }
  });

  it('takes no promise of a rule for a yes', () => {
    class Promised {
      @Expose()
      @ValidateBy({ name: 'promised', validator: { validate: () => Promise.resolve(true) } })
      readonly text!: string;
    }
    expect(quickReaderOf(Promised)?.({ text: 'a' })).toBeUndefined();
  });
});
