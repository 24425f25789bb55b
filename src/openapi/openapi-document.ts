import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { EdgeAdapter } from '../http/edge/edge.js';
import { PublicUrl } from '../http/public-url.js';
import { createDocument } from './document.js';
import { operationsOf } from './documented-operation.js';
import { toJson, toYaml } from './json.js';

/** The document of the operations that this application serves, in both of its forms. */
@Injectable()
export class OpenApiDocument {
  #json: string | undefined;
  #yaml: string | undefined;

  constructor(
    private readonly host: HttpAdapterHost<EdgeAdapter>,
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
