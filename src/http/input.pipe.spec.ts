import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/api-error.js';
import { ListPetsQuery, NewPetBody } from '../pets/pets.dto.js';
import { ListOrdersQuery } from '../store/orders.dto.js';
import { InputPipe } from './input.pipe.js';

const WORDS = [
  '',
  '0',
  '1',
  '5',
  '20',
  '101',
  '-id',
  'id',
  'sold',
  'pending',
  'placed',
  '9223372036854775807',
];

const word = fc.constantFrom(...WORDS);

const query = fc.dictionary(
  fc.constantFrom('limit', 'cursor', 'id', 'status', 'categoryId', 'sort', 'petId'),
  fc.oneof(word, fc.array(word, { minLength: 2, maxLength: 3 })),
);

const outcomeOf = (
  pipe: InputPipe,
  value: object,
  metatype: new () => object,
  type: 'query' | 'body' = 'query',
): unknown => {
  try {
    return pipe.transform(value, { type, metatype });
  } catch (error) {
    return String(error);
  }
};

describe('InputPipe', () => {
  it('gives each query the same DTO as if it were the first', () => {
    const pipe = new InputPipe();
    fc.assert(
      fc.property(query, fc.constantFrom(ListPetsQuery, ListOrdersQuery), (value, metatype) => {
        const outcome = outcomeOf(pipe, value, metatype);
        expect(outcome).toEqual(outcomeOf(new InputPipe(), value, metatype));
        expect(outcome).toEqual(outcomeOf(pipe, value, metatype));
      }),
    );
  });

  it('gives requests DTOs that share no mutable state', () => {
    const pipe = new InputPipe();
    const wanted = { limit: '5', status: ['sold'] };
    const dto = outcomeOf(pipe, wanted, ListPetsQuery) as { limit: number; status: string[] };
    expect(dto).toBeInstanceOf(ListPetsQuery);
    expect(() => Object.assign(dto, { limit: 6 })).toThrow(TypeError);
    expect(() => dto.status.push('pending')).toThrow(TypeError);
    expect(outcomeOf(pipe, wanted, ListPetsQuery)).toEqual(dto);
  });

  it('rejects any nested value as an invalid member', () => {
    const pipe = new InputPipe();
    const { nested } = fc.letrec<{ json: unknown; nested: unknown }>((tie) => ({
      json: fc.oneof({ depthSize: 'small' }, fc.constantFrom(1, 'a', null, true), tie('nested')),
      nested: fc.oneof(
        fc.dictionary(fc.constantFrom('a', 'constructor', 'then', 'length', 'toString'), tie('json')),
        fc.array(tie('json')),
      ),
    }));
    fc.assert(
      fc.property(nested, (name) => {
        const create = () =>
          pipe.transform({ name, categoryId: 1 }, { type: 'body', metatype: NewPetBody }) as object;
        expect(create).toThrow(ApiError);
        expect(create).toThrow(/^name must be a JSON string, not an (?:array|object)\.$/);
      }),
    );
  });

  it('does not read nested values, so their size costs nothing', () => {
    const ownKeys = jest.fn(() => []);
    const nested = new Proxy({}, { ownKeys });
    for (const name of [nested, [nested]]) {
      const body = { name, categoryId: 1 };
      expect(outcomeOf(new InputPipe(), body, NewPetBody, 'body')).toMatch(
        /name must be a JSON string, not an/,
      );
    }
    expect(ownKeys).not.toHaveBeenCalled();
  });
});
