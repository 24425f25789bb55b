import { Controller, Get, Header, Injectable } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpAdapter } from '../http/http-adapter.js';
import { PublicUrl } from '../common/public-url.js';
import { Public } from '../common/route.decorators.js';
import { createDocument } from './document.js';
import { operationsOf } from './documented-operation.js';
import { toJson, toYaml } from './schemas.js';

/** The document of the operations that this application serves, in both of its forms. */
@Injectable()
export class OpenApiDocument {
  #json: string | undefined;
  #yaml: string | undefined;

  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly publicUrl: PublicUrl,
  ) {}

  get json(): string {
    return (this.#json ??= toJson(this.#create()));
  }

  get yaml(): string {
    return (this.#yaml ??= toYaml(this.#create()));
  }

  #create(): ReturnType<typeof createDocument> {
    return createDocument(operationsOf(this.host.httpAdapter.routes), this.publicUrl.to('/v1'));
  }
}

/** Anybody may keep it, but asks each time whether it still holds. */
const KEPT = 'public, no-cache';

/** The OpenAPI document, for machines. */
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
