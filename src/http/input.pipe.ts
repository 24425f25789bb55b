import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { ApiError, type Fault } from '../errors/api-error.js';
import { membersOf } from './validators.js';

/**
 * Turns a body or a query into its DTO, and rejects invalid ones with all errors in one message. Only members that the DTO exposes
 * are read, so unknown ones are ignored.
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
    const dto = plainToInstance(metatype as ClassConstructor<object>, value, {
      excludeExtraneousValues: true,
      exposeUnsetFields: false,
    });
    const errors = validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false });
    if (errors.length > 0) {
      const faults = errors.map((error) => faultOf(error, type));
      throw new ApiError(code, faults.map(({ detail }) => detail).join(' '), { faults });
    }
    if (type === 'body' && Object.values(dto).every((member) => member === undefined)) {
      throw new ApiError(code, `The body must have at least one of ${membersOf(metatype).join(', ')}.`);
    }
    return dto;
  }
}

function faultOf({ property, constraints }: ValidationError, type: 'body' | 'query'): Fault {
  const detail = `${Object.values(constraints ?? {})[0] ?? `${property} is invalid`}.`;
  return type === 'body' ? { pointer: `#/${property}`, detail } : { parameter: property, detail };
}
