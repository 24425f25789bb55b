import { SetMetadata } from '@nestjs/common';
import type { ErrorCode } from './errors/error-codes.js';

/**
 * What the OpenAPI document says of an operation and the code does not tell by itself. Method, path, parameters, body,
 * schemas, headers and the codes that come before the handler are read from the handler's own decorators.
 */
export interface OperationNotes {
  /** The group that it stands in. */
  readonly tag: string;
  /** In a few words, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** What a success means. */
  readonly success: string;
  /** The body of a success; `bigint` and `Date` are written as the service writes them. */
  readonly example: unknown;
  /** A body that is sent. */
  readonly requestExample?: unknown;
  /** What only the handler can answer besides. */
  readonly codes?: readonly ErrorCode[];
}

export const OPERATION_METADATA = 'petstore:operation';

/** Puts an operation into the OpenAPI document. Its identifier there is the name of the method. */
export const Operation = (notes: OperationNotes): MethodDecorator => SetMetadata(OPERATION_METADATA, notes);

export const DESCRIPTION_METADATA = 'petstore:description';

/** What a member of a DTO means, where it does not mean what the same member of the answer does. */
export const Described =
  (description: string): PropertyDecorator =>
  (prototype, name) =>
    Reflect.defineMetadata(DESCRIPTION_METADATA, description, prototype, name);
