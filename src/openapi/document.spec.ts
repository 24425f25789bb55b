import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../common/errors/error-codes.js';
import { createDocument } from './document.js';
import type { DocumentedOperation } from './documented-operation.js';
import { toJson, toYaml } from './schemas.js';

const TOY = { title: 'Toy', type: 'object', properties: { id: { type: 'integer' } } };

const GET_TOY: DocumentedOperation = {
  id: 'getToy',
  method: 'get',
  path: '/v1/toys/{toyId}',
  notes: {
    tag: 'Pets',
    summary: 'Get a toy',
    description: 'One toy.',
    success: 'The toy.',
    example: { id: 9007199254740993n, madeAt: new Date('2026-11-20T09:30:00Z') },
  },
  pathParameters: ['toyId'],
  success: { status: 200, schema: TOY },
};

const documentOf = (...operations: DocumentedOperation[]): string =>
  toJson(createDocument(operations, '/v1'));

describe('the document', () => {
  it('writes examples as the service writes them, to the digit, in both of its forms', () => {
    expect(documentOf(GET_TOY)).toContain('"id": 9007199254740993,');
    expect(documentOf(GET_TOY)).toContain('"madeAt": "2026-11-20T09:30:00.000Z"');
    expect(toYaml(createDocument([GET_TOY], '/v1'))).toContain('id: 9007199254740993\n');
  });

  it('has every code of the table in its closed set', () => {
    const { components } = JSON.parse(documentOf(GET_TOY)) as {
      components: { schemas: { Error: { properties: { code: { enum: string[] } } } } };
    };
    expect(components.schemas.Error.properties.code.enum).toEqual(Object.keys(ERROR_CODES));
  });

  it('refuses two schemas of one name, a tag that nobody described, and a path outside of the interface', () => {
    const other = {
      ...GET_TOY,
      path: '/v1/games/{gameId}',
      success: { status: 200, schema: { title: 'Toy' } },
    };
    expect(() => documentOf(GET_TOY, other)).toThrow('two schemas are called Toy');
    const untagged = { ...GET_TOY, notes: { ...GET_TOY.notes, tag: 'Toys' } };
    expect(() => documentOf(untagged)).toThrow('getToy: the tag Toys is unknown');
    expect(() => documentOf({ ...GET_TOY, path: '/toys' })).toThrow('getToy is not below /v1');
  });
});
