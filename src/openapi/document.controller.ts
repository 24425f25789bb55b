import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/route-config.js';
import { ServedDocument } from './served-document.js';

/** Anybody may store it, and must revalidate it each time. */
const STORED = 'public, no-cache';

/** The OpenAPI document, for machines. */
@ApiExcludeController()
@Controller()
export class DocumentController {
  constructor(private readonly document: ServedDocument) {}

  @Get('openapi.json')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', STORED)
  @Header('x-content-type-options', 'nosniff')
  async readOpenApiJson(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const { json } = await this.document.texts();
    return await json.for(request, reply);
  }

  /** The media type is that of RFC 9512. */
  @Get('openapi.yaml')
  @Public()
  @Header('content-type', 'application/yaml; charset=utf-8')
  @Header('cache-control', STORED)
  @Header('x-content-type-options', 'nosniff')
  async readOpenApiYaml(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const { yaml } = await this.document.texts();
    return await yaml.for(request, reply);
  }
}
