import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { useService } from './support/use-service.js';

const service = useService();

interface Rule {
  readonly property: string;
  readonly name: string;
  readonly schema: unknown;
}

const rulesOf = (dto: Type): readonly Rule[] =>
  getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION)
    .map(({ propertyName, name = '', context }) => ({
      property: propertyName,
      name,
      schema: (context as { schema?: unknown } | undefined)?.schema,
    }));

/** Every class that a controller takes and that has rules. */
function dtos(): readonly Type[] {
  const controllers = [...service.app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as Type),
  );
  const taken = controllers.flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype).flatMap(
      (method) => (Reflect.getMetadata('design:paramtypes', prototype as object, method) ?? []) as Type[],
    ),
  );
  return [...new Set(taken)].filter((type) => typeof type === 'function' && rulesOf(type).length > 0);
}

describe('every DTO', () => {
  it('has only rules that the OpenAPI document describes', () => {
    const found = dtos();
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ListPetsQuery', 'NewPetBody', 'ListOrdersQuery', 'NewOrderBody']),
    );
    for (const dto of found) {
      for (const { property, name, schema } of rulesOf(dto)) {
        expect([dto.name, property, name, schema]).toEqual([dto.name, property, name, expect.any(Object)]);
      }
    }
  });

  it('has a rule for each property that the document describes', () => {
    for (const dto of dtos()) {
      const documented = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, dto.prototype as object);
      const checked = new Set(rulesOf(dto).map(({ property }) => `:${property}`));
      expect([dto.name, [...checked].sort()]).toEqual([dto.name, [...(documented as string[])].sort()]);
    }
  });
});
