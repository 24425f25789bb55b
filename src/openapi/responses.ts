import type { DocumentedOperation } from './documented-operation.js';
import { codesOf, errorContent, errorDescription } from './errors.js';
import { headersOf } from './headers.js';
import type { Json } from './json.js';
import type { NamedSchemas } from './named-schemas.js';

/** Error answers that are the same for every operation that has them, by component. */
const SHARED_NAMES: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [408, 'RequestTimeout'],
  [412, 'PreconditionFailed'],
  [413, 'BodyTooLarge'],
  [414, 'UriTooLong'],
  [415, 'UnsupportedMediaType'],
  [417, 'ExpectationFailed'],
  [422, 'IdempotencyKeyReused'],
  [429, 'TooManyRequests'],
  [431, 'HeadersTooLarge'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
]);

/** The answers of operations, by status. */
export class Responses {
  readonly #shared = new Map<string, Json>();

  constructor(private readonly schemas: NamedSchemas) {}

  of(operation: DocumentedOperation): Json {
    const { method, notes, success } = operation;
    const errors = [...codesOf(operation)].map(([status, codes]): [number, Json] => [
      status,
      this.#share(operation, status, {
        description: errorDescription(codes),
        headers: headersOf(operation, status),
        content: errorContent(status, codes),
      }),
    ]);
    return {
      [success.status]: {
        description: notes.success,
        headers: headersOf(operation, success.status),
        content: {
          'application/json': { schema: this.schemas.use(success.schema), example: notes.example },
        },
      },
      ...(method === 'get' && {
        304: {
          description: 'What you have, by its `ETag`, still holds.',
          headers: headersOf(operation, 304),
        },
      }),
      ...Object.fromEntries(errors),
    };
  }

  /** The shared answers, by component. */
  get shared(): Json {
    return Object.fromEntries([...this.#shared].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** A deprecated operation's answers have headers of their own. */
  #share({ deprecation }: DocumentedOperation, status: number, response: Json): Json {
    const name = SHARED_NAMES.get(status);
    if (name === undefined || deprecation !== undefined) return response;
    this.#shared.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}
