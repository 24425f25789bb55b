import { describe, expect, it } from '@jest/globals';
import { Controller, Get, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiExcludeController, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { createDocument } from './document.js';
import { followDocument } from './follow-document.js';

@Controller('v1/toys')
class ToysController {
  @Get()
  @ApiOperation({ summary: 'List toys' })
  @ApiOkResponse({ type: [String] })
  listToys(): readonly string[] {
    return [];
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

async function start(...controllers: readonly Type[]): Promise<void> {
  const module = await Test.createTestingModule({ controllers: [...controllers] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  followDocument(createDocument(app, '/v1'), app.getHttpAdapter().getInstance());
  await app.init();
}

describe('the document', () => {
  it.each<[string, readonly Type[], string]>([
    ['not described', [UndescribedController], 'listSecrets has no @ApiOperation()'],
    ['outside of the interface', [ElsewhereController], '/games is not below /v1'],
    [
      'not in the document and not public',
      [HiddenController],
      'GET /v1/secrets is neither in the OpenAPI document nor @Public',
    ],
    [
      'of another version',
      [ToysController, OtherVersionController],
      'GET /v9/toys is neither in the OpenAPI document nor @Public',
    ],
  ])('has all operations: one that is %s fails the start', async (_how, controllers, message) => {
    await expect(start(...controllers)).rejects.toThrow(message);
  });
});
