import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { ApiError } from '../../errors/api-error.js';
import { type QuickReader, quickReaderOf, READ_OPTIONS } from './quick-reader.js';

type Dto = ClassConstructor<object>;

/**
 * Turns a body or a query into its DTO and refuses what does not fit, with every fault in one line. Only members that the
 * DTO exposes are looked at: unknown ones are ignored, however deep they are.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  readonly #quickReaders = new Map<Dto, QuickReader | undefined>();

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    const code = type === 'body' ? 'invalid_body' : 'invalid_parameter';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ApiError(
        code,
        value === undefined ? 'A body is required.' : 'The body must be a JSON object.',
      );
    }
    const dto = metatype as Dto;
    if (!this.#quickReaders.has(dto)) this.#quickReaders.set(dto, quickReaderOf(dto));
    return this.#quickReaders.get(dto)?.(value as Record<string, unknown>) ?? read(dto, value, code);
  }
}

function read(dto: Dto, value: object, code: 'invalid_body' | 'invalid_parameter'): object {
  const input = plainToInstance(dto, value, READ_OPTIONS);
  const faults = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  if (faults.length > 0) throw new ApiError(code, faults.map(messageOf).join(' '));
  return input;
}

const messageOf = ({ property, constraints }: ValidationError): string =>
  `${Object.values(constraints ?? {})[0] ?? `${property} is invalid`}.`;
