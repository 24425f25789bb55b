import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
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
    private readonly discovery: DiscoveryService,
    private readonly publicUrl: PublicUrl,
  ) {}

  get json(): string {
    return (this.#json ??= toJson(this.#create()));
  }

  get yaml(): string {
    return (this.#yaml ??= toYaml(this.#create()));
  }

  #create(): ReturnType<typeof createDocument> {
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as Type);
    return createDocument(controllers.flatMap(operationsOf), this.publicUrl.to('/v1'));
  }
}
