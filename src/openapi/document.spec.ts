import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Patch, Post, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExcludeController,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
} from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { ERROR_CODES } from '../common/errors/error-codes.js';
import { ApiErrors, ApiId } from '../common/openapi.decorators.js';
import { Public } from '../common/route.decorators.js';
import { createDocument } from './document.js';
import { type OpenApi, toJson, toYaml } from './json.js';
import { followDocument } from './follow-document.js';

class Part {
  @ApiProperty()
  readonly madeAt!: Date;
}

class Toy {
  @ApiProperty()
  readonly id!: bigint;

  @ApiProperty({ enum: ['red', 'blue'], enumName: 'Colour', description: 'As it is sold.' })
  readonly colour!: string;

  @ApiProperty({ type: [Part] })
  readonly parts!: readonly Part[];
}

const TOY: Toy = {
  id: 9007199254740993n,
  colour: 'red',
  parts: [{ madeAt: new Date('2026-11-20T09:30:00Z') }],
};

@Controller('v1/toys')
class ToysController {
  @Get()
  @ApiOperation({ summary: 'List toys' })
  @ApiOkResponse({ type: [Toy] })
  listToys(): readonly Toy[] {
    return [Object.assign(new Toy(), TOY, { secret: 'not documented' })];
  }

  @Post()
  @ApiOperation({ summary: 'Add a toy' })
  @ApiBody({ type: Toy })
  @ApiCreatedResponse({ type: Toy, description: 'The toy.', example: TOY })
  createToy(@Body() _toy: object): Toy {
    return TOY;
  }

  @Patch(':toyId/parts/:partId')
  @ApiOperation({ summary: 'Change a part' })
  @ApiId('toyId')
  @ApiId('partId')
  @ApiOkResponse({ type: Part })
  @ApiErrors('pet_not_found', 'order_transition_not_allowed')
  changePart(@Param('toyId') _toyId: string, @Param('partId') _partId: string): Part {
    return { madeAt: new Date(0) };
  }
}

@ApiExcludeController()
@Controller('v1/catalogue')
class CatalogueController {
  @Get()
  @Public()
  readCatalogue(): string {
    return 'toys';
  }
}

@ApiExcludeController()
@Controller('v1/secrets')
class HiddenController {
  @Get()
  listSecrets(): void {}
}

@Controller('v1/secrets')
class UndescribedController {
  @Get()
  listSecrets(): void {}
}

/** As long as `v1`, so that only its name is another. */
@ApiExcludeController()
@Controller('v9/toys')
class OtherVersionController {
  @Get()
  listToys(): void {}
}

@Controller('games')
class ElsewhereController {
  @Get()
  @ApiOperation({ summary: 'List games' })
  listGames(): void {}
}

async function applicationOf(...controllers: readonly Type[]): Promise<NestFastifyApplication> {
  const module = await Test.createTestingModule({ controllers: [...controllers] }).compile();
  return module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
}

const documentOf = async (...controllers: readonly Type[]): Promise<OpenApi> =>
  createDocument(await applicationOf(...controllers), '/v1');

const startedWith = async (...controllers: readonly Type[]): Promise<NestFastifyApplication> => {
  const app = await applicationOf(...controllers);
  followDocument(createDocument(app, '/v1'), app.getHttpAdapter().getInstance());
  await app.init();
  return app;
};

describe('the document', () => {
  it('has examples as the service writes them, to the digit, in both of its forms', async () => {
    const document = await documentOf(ToysController);
    expect(toJson(document)).toContain('"id": 9007199254740993,');
    expect(toJson(document)).toContain('"madeAt": "2026-11-20T09:30:00.000Z"');
    expect(toYaml(document)).toContain('id: 9007199254740993\n');
  });

  it('has every code of the table in its closed set', async () => {
    const { components } = await documentOf(ToysController);
    expect(components.schemas['Error']).toMatchObject({
      properties: { code: { enum: Object.keys(ERROR_CODES) } },
    });
  });

  it('calls an operation by its method, below the address of the server', async () => {
    const { paths } = await documentOf(ToysController);
    expect(paths['/toys']?.['get']?.operationId).toBe('listToys');
    expect(paths['/toys/{toyId}/parts/{partId}']?.['patch']?.operationId).toBe('changePart');
  });

  it('refers to an enum by its name, with what the property says of it', async () => {
    const { components } = await documentOf(ToysController);
    expect(components.schemas['Toy']).toMatchObject({
      properties: { colour: { $ref: '#/components/schemas/Colour', description: 'As it is sold.' } },
    });
  });

  it('has the own errors of an operation and those of what it takes', async () => {
    const { paths } = await documentOf(ToysController);
    const everywhere = ['400', '401', '408', '414', '417', '429', '431', '500', '503'];
    expect(Object.keys(paths['/toys']?.['get']?.responses ?? {})).toEqual(
      [...everywhere, '200', '304', '412'].sort(),
    );
    expect(Object.keys(paths['/toys']?.['post']?.responses ?? {})).toEqual(
      [...everywhere, '201', '409', '413', '415', '422'].sort(),
    );
    const { responses = {} } = paths['/toys/{toyId}/parts/{partId}']?.['patch'] ?? {};
    expect(Object.keys(responses)).toEqual([...everywhere, '200', '404', '409', '412'].sort());
    expect(responses['404']).toHaveProperty(['content', 'application/json', 'examples', 'pet_not_found']);
  });

  it('leaves no operation undescribed, and none outside of the interface', async () => {
    await expect(documentOf(UndescribedController)).rejects.toThrow('listSecrets has no @ApiOperation()');
    await expect(documentOf(ElsewhereController)).rejects.toThrow('/games is not below /v1');
  });
});

describe('responses', () => {
  it('are written by the document: to the digit, instants as RFC 3339, nothing that is not documented', async () => {
    const app = await startedWith(ToysController, CatalogueController);
    const written = '{"id":9007199254740993,"colour":"red","parts":[{"madeAt":"2026-11-20T09:30:00.000Z"}]}';
    expect((await app.inject({ url: '/v1/toys' })).body).toBe(`[${written}]`);
    expect((await app.inject({ method: 'POST', url: '/v1/toys', payload: {} })).body).toBe(written);
    expect((await app.inject({ url: '/v1/catalogue' })).body).toBe('toys');
    await app.close();
  });

  it('are all documented: the route of an undocumented operation is an error, unless it is public', async () => {
    await expect(startedWith(HiddenController)).rejects.toThrow(
      'GET /v1/secrets is neither in the OpenAPI document nor @Public',
    );
    await expect(startedWith(ToysController, OtherVersionController)).rejects.toThrow(
      'GET /v9/toys is neither in the OpenAPI document nor @Public',
    );
  });
});
