import { readdirSync, readFileSync } from 'node:fs';
import { Controller } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../errors/api-error.js';
import { PublicFile } from './public-file.decorator.js';

/** Where the build puts it. A watch build does not create it. */
const FOLDER = new URL('../../dist/client/', import.meta.url);

const readPackage = (folder: URL): { readonly name: string; readonly bytes?: Buffer } => {
  try {
    const [name = ''] = readdirSync(folder);
    return { name, bytes: readFileSync(new URL(name, folder)) };
  } catch {
    return { name: 'petstore-client.tgz' };
  }
};

const PACKAGE = readPackage(FOLDER);

/** The typed client as a package: `npm install http://localhost:3000/client/petstore-client-….tgz`, by its version. */
@ApiExcludeController()
@Controller('client')
export class ClientPackageController {
  @PublicFile(PACKAGE.name, 'application/gzip')
  readClientPackage(): Buffer {
    if (PACKAGE.bytes === undefined) throw new ApiError('not_found');
    return PACKAGE.bytes;
  }
}
