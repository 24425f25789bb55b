import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Patch, Query, type Type } from '@nestjs/common';
import { FastifyAdapter, RouteSchema } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { RouteOptions } from 'fastify';
import { Operation, type OperationNotes, Public } from '../common/route.decorators.js';
import { operationsOf } from './documented-operation.js';

const NOTES: OperationNotes = { tag: 'Pets', summary: 's', description: 'd', success: 'ok', example: 1 };
const SCHEMA = { type: 'object' };

class Filter {}
class Change {}

@Controller('v1/toys')
class Toys {
  @Get()
  @Operation({ ...NOTES, query: Filter })
  @RouteSchema({ response: { 200: SCHEMA } })
  listToys(@Query() _query: Filter): void {}

  @Patch(':toyId/parts/:partId')
  @Operation({ ...NOTES, body: Change })
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

/** The routes that Nest registers for a controller. */
async function routesOf(controller: Type): Promise<readonly RouteOptions[]> {
  const routes: RouteOptions[] = [];
  const adapter = new FastifyAdapter();
  adapter.getInstance().addHook('onRoute', (route: RouteOptions) => void routes.push(route));
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  const app = module.createNestApplication(adapter, { logger: false });
  await app.init();
  await app.close();
  return routes;
}

describe('the operations of a controller', () => {
  it('are read from its routes', async () => {
    expect(operationsOf(await routesOf(Toys))).toEqual([
      {
        id: 'listToys',
        method: 'get',
        path: '/v1/toys',
        notes: { ...NOTES, query: Filter },
        deprecation: undefined,
        pathParameters: [],
        success: { status: 200, schema: SCHEMA },
      },
      expect.objectContaining({
        id: 'changePart',
        method: 'patch',
        path: '/v1/toys/{toyId}/parts/{partId}',
        pathParameters: ['toyId', 'partId'],
        notes: { ...NOTES, body: Change },
      }),
    ]);
  });

  it('are all documented: a route without notes is an error, unless anybody may read it', async () => {
    const routes = await routesOf(Undocumented);
    expect(() => operationsOf(routes)).toThrow('GET /v1/secrets has no @Operation and is not @Public');
  });

  it('have no other DTO than the one that the handler takes', () => {
    expect(() => {
      class Misdocumented {
        @Operation({ ...NOTES, query: Filter })
        list(@Query() _query: Change): void {}
      }
      return Misdocumented;
    }).toThrow('Misdocumented.list does not take Filter');
  });
});
