import { describe, expect, it } from '@jest/globals';
import { Expose } from 'class-transformer';
import { IsIn, IsInt, IsUUID, Max, Min } from 'class-validator';
import { Described } from '../common/route.decorators.js';
import { FromJsonInt64, IsInt64, IsStorableText, MayBeAbsent } from '../common/validators.js';
import { membersOf } from './schemas.js';

class Several {
  @Expose()
  @Described('Up to ten.')
  @IsInt()
  @Min(1)
  @Max(10)
  readonly limit: number = 5;

  @Expose()
  @FromJsonInt64()
  @IsInt64()
  readonly id!: bigint;

  @Expose()
  @IsStorableText(3)
  readonly name!: string;

  @Expose()
  @MayBeAbsent()
  @IsIn(['red', 'blue'])
  readonly colour?: string;
}

class Unknown {
  @Expose()
  @IsUUID()
  readonly id!: string;
}

describe('the schema of a DTO', () => {
  const members = new Map(membersOf(Several).map((member) => [member.name, member]));

  it('says what its validators accept', () => {
    expect(members.get('limit')).toEqual({
      name: 'limit',
      schema: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
      description: 'Up to ten.',
      required: false,
    });
    expect(members.get('id')?.schema).toEqual({ type: 'integer', format: 'int64' });
    expect(members.get('colour')?.schema).toEqual({ type: 'string', enum: ['red', 'blue'] });
    expect([...members.values()].filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'id',
      'name',
    ]);
  });

  it.each([
    ['Rex', true],
    ['\u{1f436}\n!', true],
    ['', false],
    [' \t\u0085\u00a0', false],
    ['a\0b', false],
  ])('has a pattern that agrees with the validator about %j', (name, isLegal) => {
    const { minLength, maxLength, pattern } = members.get('name')?.schema ?? {};
    expect([minLength, maxLength]).toEqual([1, 3]);
    expect(new RegExp(String(pattern), 'u').test(name)).toBe(isLegal);
  });

  it('refuses a validator that it cannot describe, so that none is left out in silence', () => {
    expect(() => membersOf(Unknown)).toThrow('id: there is no schema for the validator isUuid');
  });
});
