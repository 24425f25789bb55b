import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../http/route.decorators.js';
import { OpenApiDocument } from './openapi-document.js';

/** Anybody may keep it, but asks each time whether it still holds. */
const KEPT = 'public, no-cache';

/** The OpenAPI document, for machines. */
@Controller()
export class DocumentController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('openapi.json')
  @Public()
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', KEPT)
  @Header('x-content-type-options', 'nosniff')
  readOpenApiJson(): string {
    return this.document.json;
  }

  /** The media type is that of RFC 9512. */
  @Get('openapi.yaml')
  @Public()
  @Header('content-type', 'application/yaml; charset=utf-8')
  @Header('cache-control', KEPT)
  @Header('x-content-type-options', 'nosniff')
  readOpenApiYaml(): string {
    return this.document.yaml;
  }
}
