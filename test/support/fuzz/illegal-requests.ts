import fc from 'fast-check';
import { parseInt64 } from '../../../src/database/int64.js';
import { type Operation, OPERATIONS, resolve, type Schema } from '../document.js';
import type { Request } from './fuzz-service.js';
import { jsonText, requestFor } from './legal-requests.js';

/** A request with one invalid value, and the status that it must be rejected with. */
export interface IllegalRequest {
  readonly fault: string;
  readonly status: number;
  readonly request: Request;
}

interface Change {
  readonly fault: string;
  readonly status: number;
  readonly fits: (operation: Operation) => boolean;
  readonly apply: (request: Request, operation: Operation) => fc.Arbitrary<Request>;
}

const hasBody = ({ body }: Operation): boolean => body !== undefined;
const isList = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'cursor');

const withBody = (request: Request, body: string | Buffer): Request => ({
  ...request,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});
const withTarget = (request: Request, target: string): Request => ({ ...request, target });
const withQuery = (request: Request, query: string): Request =>
  withTarget(request, `${request.target.split('?')[0]}?${query}`);
const withHeader = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: [...request.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]],
});

const visible = fc.stringMatching(/^[!-~]{1,40}$/);
const notLimit = fc.oneof(
  fc.constantFrom('', '+5', '05', '5.0', '1e1', '0', '101', '-1', '%205', '5&limit=5'),
  // Nothing that ends the value or stands for something else.
  visible.filter((text) => !/[&#%]/.test(text) && !/^(?:[1-9]\d?|100)$/.test(text)),
);
const notId = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 70n }).map(String),
    fc.constantFrom('-1', '0', '9007199254740993', '+1', '01', '1.0', '1e0', ' 1', '.', '..'),
  )
  .filter((id) => (parseInt64(id) ?? 0n) <= 0n || id === '9007199254740993');
const notIdempotencyKey = fc.oneof(
  fc.tuple(visible, fc.constantFrom(' ', '\t', 'é', '\u0080'), visible).map((parts) => parts.join('')),
  fc.integer({ min: 256, max: 400 }).map((length) => 'x'.repeat(length)),
  fc.constantFrom('', '""'),
);

const CHANGES: readonly Change[] = [
  {
    ...{ fault: 'a wrong key', status: 401, fits: () => true },
    apply: (request) =>
      fc
        .oneof(
          visible,
          visible.map((text) => `Bearer ${text}`),
        )
        .map((value) => withHeader(request, 'Authorization', value)),
  },
  {
    ...{ fault: 'no such record', status: 404, fits: ({ path }) => path.includes('{') },
    apply: (request) =>
      // A category is put to any number.
      notId
        .filter((id) => request.method !== 'PUT' || !/^-?\d+$/.test(id))
        .map((id) => withTarget(request, request.target.replace('{fresh}', encodeURIComponent(id)))),
  },
  {
    ...{ fault: 'a wrong limit', status: 400, fits: isList },
    apply: (request) => notLimit.map((value) => withQuery(request, `limit=${value}`)),
  },
  {
    ...{ fault: 'a wrong status', status: 400, fits: isList },
    apply: (request) =>
      fc
        .stringMatching(/^[A-Z0-9 ]{0,12}$/)
        .map((value) => withQuery(request, `status=${encodeURIComponent(value)}`)),
  },
  {
    ...{ fault: 'an unknown query parameter', status: 400, fits: () => true },
    apply: (request) => fc.stringMatching(/^[A-Z]\w{0,12}$/).map((name) => withQuery(request, `${name}=1`)),
  },
  {
    ...{ fault: 'a wrong cursor', status: 400, fits: isList },
    apply: (request) =>
      fc.stringMatching(/^[\w-]{0,30}$/).map((value) => withQuery(request, `cursor=${value}`)),
  },
  {
    ...{ fault: 'a wrong Idempotency-Key', status: 400, fits: ({ method }) => method === 'POST' },
    apply: (request) => notIdempotencyKey.map((value) => withHeader(request, 'Idempotency-Key', value)),
  },
  {
    ...{ fault: 'broken JSON', status: 400, fits: hasBody },
    apply: (request) =>
      fc.nat().map((at) => {
        const text = (request.body ?? Buffer.from('')).toString('latin1').trimEnd();
        return withBody(request, Buffer.from(text.slice(0, at % text.length), 'latin1'));
      }),
  },
  {
    ...{ fault: 'a body that is no object', status: 400, fits: hasBody },
    apply: (request) =>
      fc
        .jsonValue({ maxDepth: 2 })
        .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
        .map((value) => withBody(request, JSON.stringify(value))),
  },
  {
    ...{ fault: 'a wrong member', status: 400, fits: hasBody },
    apply: (request, { body }) => wrongBody(body ?? {}).map((text) => withBody(request, text)),
  },
];

/** A body with one member that its schema does not allow, or without one that it requires. */
function wrongBody({ properties = {}, required = [] }: Schema): fc.Arbitrary<string> {
  return fc.constantFrom(...Object.keys(properties)).chain((name) => {
    const others = required
      .filter((one) => one !== name)
      .map((one) =>
        jsonText(resolve<Schema>(properties[one] ?? {})).map((text) => `${JSON.stringify(one)}:${text}`),
      );
    const wrong = wrongText(resolve<Schema>(properties[name] ?? {})).map((text) => [
      `${JSON.stringify(name)}:${text}`,
    ]);
    return fc
      .tuple(fc.tuple(...others), required.includes(name) ? fc.oneof(wrong, fc.constant([])) : wrong)
      .map((parts) => `{${parts.flat().join(',')}}`);
  });
}

function wrongText(schema: Schema): fc.Arbitrary<string> {
  const never = fc.constantFrom('null', 'true', '[]', '{}');
  if (schema.type === 'integer') {
    return fc.oneof(
      never,
      fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }).map(String),
      fc.bigInt({ min: -(2n ** 80n), max: -(2n ** 63n) - 1n }).map(String),
      fc.constantFrom('7.5', '"7"', '1e400', '1e-1', '0.1', '9223372036854775807.5', '1e19'),
      ...(schema.minimum === undefined ? [] : [fc.constant(String(schema.minimum - 1))]),
      ...(schema.maximum === undefined ? [] : [fc.constant(String(schema.maximum + 1))]),
    );
  }
  if (schema.enum !== undefined) {
    const words = new Set(schema.enum);
    const others = fc.string().filter((text) => !words.has(text));
    return fc.oneof(
      never,
      fc.constant('7'),
      others.map((text) => JSON.stringify(text)),
    );
  }
  return fc.oneof(
    never,
    fc.constantFrom('7', '""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"a\\udc00"', '"\\u0085"'),
    fc.integer({ min: 256, max: 2000 }).map((length) => JSON.stringify('🐕'.repeat(length))),
  );
}

/** Any operation, with any one invalid value that it can have. */
export const illegalRequest: fc.Arbitrary<IllegalRequest> = fc
  .constantFrom(...CHANGES)
  .chain(({ fault, status, fits, apply }) =>
    fc.constantFrom(...OPERATIONS.filter(fits)).chain((operation) =>
      requestFor(operation)
        .chain((request) => apply(request, operation))
        .map((request) => ({ fault, status, request })),
    ),
  );
