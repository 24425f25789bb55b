import { describe, expect, it } from '@jest/globals';
import { Controller, Get, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Operation } from '../http/operation.decorators.js';
import { createDocument } from './create-document.js';

@Controller('v1/secrets')
class UndescribedController {
  @Get()
  listSecrets(): void {}
}

@Controller('games')
class ElsewhereController {
  @Get()
  @Operation({ summary: 'List games' })
  listGames(): void {}
}

async function documentOf(controller: Type): Promise<unknown> {
  const module = await Test.createTestingModule({ controllers: [controller] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  return createDocument(app, '/v1');
}

describe('the document', () => {
  it.each<[string, Type, string]>([
    ['not described', UndescribedController, 'listSecrets has no @Operation()'],
    ['outside of the interface', ElsewhereController, '/games is not below /v1'],
  ])('is not made with an operation that is %s', async (_how, controller, message) => {
    await expect(documentOf(controller)).rejects.toThrow(message);
  });
});
