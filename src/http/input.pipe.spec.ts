import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ListPetsQuery } from '../pets/pets.dto.js';
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

const outcomeOf = (pipe: InputPipe, value: object, metatype: new () => object): unknown => {
  try {
    return pipe.transform(value, { type: 'query', metatype });
  } catch (error) {
    return String(error);
  }
};

describe('InputPipe', () => {
  it('gives each query the DTO that it would have if it were the first one', () => {
    const pipe = new InputPipe();
    fc.assert(
      fc.property(query, fc.constantFrom(ListPetsQuery, ListOrdersQuery), (value, metatype) => {
        const outcome = outcomeOf(pipe, value, metatype);
        expect(outcome).toEqual(outcomeOf(new InputPipe(), value, metatype));
        expect(outcome).toEqual(outcomeOf(pipe, value, metatype));
      }),
    );
  });

  it('gives requests DTOs that none of them can change for another', () => {
    const pipe = new InputPipe();
    const dto = outcomeOf(pipe, { limit: '5' }, ListPetsQuery);
    expect(dto).toBeInstanceOf(ListPetsQuery);
    expect(() => Object.assign(dto as object, { limit: 6 })).toThrow(TypeError);
    expect(outcomeOf(pipe, { limit: '5' }, ListPetsQuery)).toMatchObject({ limit: 5 });
  });
});
