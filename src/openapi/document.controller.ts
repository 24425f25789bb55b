import { Controller, Get, Header, Injectable } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { Public } from '../common/route.decorators.js';
import { toJson, toYaml } from './json.js';

/** The document of the operations that this application serves, in both of its forms. */
@Injectable()
export class OpenApiDocument {
  document: OpenAPIObject | undefined;
  #json: string | undefined;
  #yaml: string | undefined;

  get json(): string {
    return (this.#json ??= toJson(this.document));
  }

  get yaml(): string {
    return (this.#yaml ??= toYaml(this.document));
  }
}

/** Anybody may keep it, but asks each time whether it still holds. */
const KEPT = 'public, no-cache';

/** The OpenAPI document, for machines. */
@ApiExcludeController()
@SkipThrottle({ minute: true, day: true })
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
