import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { Operation, type OperationNotes } from '../http/operation.decorator.js';
import { Public } from '../http/public.decorator.js';
import { operationsOf } from './documented-operation.js';

const NOTES: OperationNotes = { tag: 'Pets', summary: 's', description: 'd', success: 'ok', example: 1 };
const SCHEMA = { type: 'object' };

class Filter {}
class Change {}

@Controller('v1/toys')
class Toys {
  @Get()
  @Operation(NOTES)
  @RouteSchema({ response: { 200: SCHEMA } })
  listToys(@Query() _query: Filter): void {}

  @Patch(':toyId/parts/:partId')
  @Operation(NOTES)
  @RouteSchema({ response: { 200: SCHEMA } })
  changePart(
    @Param('toyId') _toyId: string,
    @Param('partId') _partId: string,
    @Body() _change: Change,
  ): void {}

  @Get('catalogue')
  @Public()
  readCatalogue(): void {}

  help(): void {}
}

@Controller('v1/secrets')
class Undocumented {
  @Get()
  listSecrets(): void {}
}

describe('the operations of a controller', () => {
  it('are read from its decorators', () => {
    expect(operationsOf(Toys)).toEqual([
      {
        id: 'listToys',
        method: 'get',
        path: '/v1/toys',
        notes: NOTES,
        deprecation: undefined,
        pathParameters: [],
        query: Filter,
        body: undefined,
        success: { status: 200, schema: SCHEMA },
      },
      expect.objectContaining({
        id: 'changePart',
        method: 'patch',
        path: '/v1/toys/{toyId}/parts/{partId}',
        pathParameters: ['toyId', 'partId'],
        body: Change,
      }),
    ]);
  });

  it('are all documented: a route without notes is an error, unless anybody may read it', () => {
    expect(() => operationsOf(Undocumented)).toThrow(
      'Undocumented.listSecrets has no @Operation and is not @Public',
    );
  });
});
