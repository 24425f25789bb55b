import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsGivenOnce, IsInt64, IsIntegerFromTo, IsOneOf, IsStorableText, MayBeAbsent } from './validators.js';

class Several {
  @ApiProperty({ description: 'Up to ten.', required: false, default: 5 })
  @IsIntegerFromTo(1, 10)
  readonly limit: number = 5;

  @IsInt64()
  readonly id!: bigint;

  @IsInt64({ minimum: 0, maximum: 40 })
  readonly weight!: bigint;

  @IsStorableText(3)
  readonly name!: string;

  @MayBeAbsent()
  @IsOneOf({ enum: ['red', 'blue'], enumName: 'Colour', enumSchema: { description: 'As seen.' } })
  readonly colour?: string;

  @MayBeAbsent()
  @IsGivenOnce()
  readonly cursor?: string;
}

interface Schema {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
}

/** The schemas that the OpenAPI document has of a DTO. */
async function schemasOf(dto: Type): Promise<Readonly<Record<string, unknown>>> {
  const module = await Test.createTestingModule({}).compile();
  const app = module.createNestApplication(new FastifyAdapter());
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build(), { extraModels: [dto] });
  await app.close();
  return document.components?.schemas ?? {};
}

describe('the rules of a DTO', () => {
  it('are its schema in the OpenAPI document', async () => {
    const schemas = await schemasOf(Several);
    const { properties, required } = schemas['Several'] as Schema;
    expect(properties).toEqual({
      limit: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'Up to ten.' },
      id: { type: 'integer', format: 'int64' },
      weight: { type: 'integer', format: 'int64', minimum: 0, maximum: 40 },
      name: { type: 'string', minLength: 1, maxLength: 3, pattern: expect.any(String) },
      colour: { allOf: [{ $ref: '#/components/schemas/Colour' }] },
      cursor: { type: 'string' },
    });
    expect(required).toEqual(['id', 'weight', 'name']);
    expect(schemas['Colour']).toMatchObject({ type: 'string', enum: ['red', 'blue'] });
  });

  it.each([
    ['Rex', true],
    ['\u{1f436}\n!', true],
    ['', false],
    [' \t\u0085\u00a0', false],
    ['a\0b', false],
  ])('have a pattern that agrees with the validator about %j', async (name, isLegal) => {
    const { properties } = (await schemasOf(Several))['Several'] as Schema;
    expect(new RegExp(String(properties['name']?.['pattern']), 'u').test(name)).toBe(isLegal);
  });

  it.each([
    [0, true],
    [40n, true],
    [-1, false],
    [41, false],
    [2n ** 63n, false],
    ['7', false],
  ])('have bounds that hold: %s', (weight, isLegal) => {
    const wrong = validateSync(plainToInstance(Several, { id: 1, name: 'Rex', weight }));
    expect(wrong.map(({ constraints }) => constraints)).toEqual(
      isLegal ? [] : [{ isInt64: 'weight must be a 64-bit integer, at least 0, at most 40' }],
    );
  });
});
