import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiParam } from '@nestjs/swagger';
import type { ErrorCode } from '../errors/error-codes.js';

/** The extension that carries the codes of `@ApiErrors()` to the document, which has them as responses. */
export const ERROR_CODES_EXTENSION = 'x-error-codes';

/** The errors that only this operation responds with; those of all operations need not be listed. */
export const ApiErrors = (...codes: readonly ErrorCode[]): MethodDecorator =>
  applyDecorators(ApiExtension(ERROR_CODES_EXTENSION, codes));

/** The identifier in the path of an operation; its example is in a new store. */
export const ApiId = (name: string, example = 1): MethodDecorator =>
  ApiParam({
    name,
    description: 'The identifier. Anything but a decimal int64 is 404.',
    schema: { type: 'integer', format: 'int64', examples: [example] },
  });
