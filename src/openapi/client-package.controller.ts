import { readdirSync, readFileSync } from 'node:fs';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/route-config.js';
import { ApiError } from '../errors/api-error.js';

/** Where the build puts it. A build that watches for changes does not. */
const FOLDER = new URL('../../dist/client/', import.meta.url);

const namesIn = (folder: URL): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const NAME = namesIn(FOLDER).find((name) => name.endsWith('.tgz')) ?? 'petstore-client.tgz';

/** The typed client as a package: `npm install http://localhost:3000/client/petstore-client-1.0.0.tgz`. */
@ApiExcludeController()
@Controller('client')
export class ClientPackageController {
  #bytes: Buffer | undefined;

  @Get(NAME)
  @Public()
  @Header('content-type', 'application/gzip')
  @Header('cache-control', 'public, no-cache')
  @Header('x-content-type-options', 'nosniff')
  readClientPackage(): Buffer {
    try {
      return (this.#bytes ??= readFileSync(new URL(NAME, FOLDER)));
    } catch {
      throw new ApiError('not_found');
    }
  }
}
