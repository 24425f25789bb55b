import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { ApiError } from '../errors/api-error.js';

/**
 * Turns a body or a query into its DTO and refuses what does not fit, with every fault in one line. Only members that the
 * DTO exposes are looked at: unknown ones are ignored, however deep they are.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    const code = type === 'body' ? 'invalid_body' : 'invalid_parameter';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ApiError(
        code,
        value === undefined ? 'A body is required.' : 'The body must be a JSON object.',
      );
    }
    const input = plainToInstance(metatype as ClassConstructor<object>, value, {
      excludeExtraneousValues: true,
      exposeUnsetFields: false,
    });
    const faults = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
    if (faults.length > 0) throw new ApiError(code, faults.map(messageOf).join(' '));
    return input;
  }
}

const messageOf = ({ property, constraints }: ValidationError): string =>
  `${Object.values(constraints ?? {})[0] ?? `${property} is invalid`}.`;
