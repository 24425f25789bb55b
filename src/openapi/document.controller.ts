import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/route-config.js';
import { EncodedText } from './encoded-text.js';
import { LLMS_TXT } from './markdown.js';
import { ServedDocument } from './served-document.js';

/** Anybody may store it, and must revalidate it each time. */
const STORED = 'public, no-cache';

const LLMS = new EncodedText(LLMS_TXT);

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

  /** The guide and the reference, for people's assistants. The media type is that of RFC 7763. */
  @Get('docs.md')
  @Public()
  @Header('content-type', 'text/markdown; charset=utf-8')
  @Header('cache-control', STORED)
  @Header('x-content-type-options', 'nosniff')
  async readDocsMarkdown(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const { markdown } = await this.document.texts();
    return await markdown.for(request, reply);
  }

  @Get('llms.txt')
  @Public()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', STORED)
  @Header('x-content-type-options', 'nosniff')
  async readLlms(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    return await LLMS.for(request, reply);
  }
}
