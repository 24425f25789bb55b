import { Controller, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { EncodedText } from './encoded-text.js';
import { LLMS_TXT } from './markdown.js';
import { PublicFile } from './public-file.decorator.js';
import { ServedDocument } from './served-document.js';

const LLMS = new EncodedText(LLMS_TXT);

/** The OpenAPI document, for machines. */
@ApiExcludeController()
@Controller()
export class DocumentController {
  constructor(private readonly document: ServedDocument) {}

  @PublicFile('openapi.json', 'application/json; charset=utf-8')
  async readOpenApiJson(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    return await (await this.document.texts()).json.for(reply);
  }

  /** The media type is that of RFC 9512. */
  @PublicFile('openapi.yaml', 'application/yaml; charset=utf-8')
  async readOpenApiYaml(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    return await (await this.document.texts()).yaml.for(reply);
  }

  /** The guide and the reference, for people's assistants. The media type is that of RFC 7763. */
  @PublicFile('docs.md', 'text/markdown; charset=utf-8')
  async readDocsMarkdown(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    return await (await this.document.texts()).markdown.for(reply);
  }

  @PublicFile('llms.txt', 'text/plain; charset=utf-8')
  async readLlms(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    return await LLMS.for(reply);
  }
}
