import fc from 'fast-check';
import { parseInt64 } from '../../src/common/int64.js';
import { type Operation, OPERATIONS, type Schema, resolve } from './document.js';
import type { Request } from './fuzz-service.js';
import { requestFor } from './legal-requests.js';

/** A request with one fault, and what it must be refused with. */
export interface IllegalRequest {
  readonly fault: string;
  readonly status: number;
  readonly request: Request;
}

/** Ways to spoil a legal request. */
interface Spoiling {
  readonly fault: string;
  readonly status: number;
  readonly fits: (operation: Operation) => boolean;
  readonly spoil: (request: Request, operation: Operation) => fc.Arbitrary<Request>;
}

const any = (): boolean => true;
const hasBody = ({ body }: Operation): boolean => body !== undefined;
const isList = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'cursor');
const isCreation = ({ method }: Operation): boolean => method === 'POST';
const namesRecord = ({ path }: Operation): boolean => path.includes('{');

const withHeader = (request: Request, name: string, value: string): Request => ({
  ...request,
  headers: [...request.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]],
});
const withBody = (request: Request, body: string | Buffer): Request => ({
  ...request,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});
const withTarget = (request: Request, target: string): Request => ({ ...request, target });
const withMethod = (request: Request, method: string): Request => ({ ...request, method });
const withQuery = (request: Request, query: string): Request => ({
  ...request,
  target: `${request.target.split('?')[0]}?${query}`,
});

const visible = fc.stringMatching(/^[!-~]{1,40}$/);
const notInteger = fc.oneof(
  fc.constantFrom('', '+5', '05', '5.0', '1e1', '0', '101', '-1', '%205', '5&limit=5'),
  // Nothing that ends the value, or stands for something else.
  visible.filter((text) => !/[&#%]/.test(text) && !/^(?:[1-9]\d?|100)$/.test(text)),
);

const SPOILINGS: readonly Spoiling[] = [
  {
    ...{ fault: 'no key', status: 401, fits: any },
    spoil: (request) => fc.constant({ ...request, isKeyless: true }),
  },
  {
    ...{ fault: 'a wrong key', status: 401, fits: any },
    spoil: (request) =>
      fc
        .oneof(
          visible,
          visible.map((text) => `Bearer ${text}`),
        )
        .map((value) => withHeader(request, 'Authorization', value)),
  },
  {
    ...{ fault: 'no such path', status: 404, fits: namesRecord },
    spoil: (request) =>
      fc.stringMatching(/^[a-z]{0,8}$/).map((more) => withTarget(request, `${request.target}/${more}`)),
  },
  {
    ...{ fault: 'no such record', status: 404, fits: namesRecord },
    spoil: (request) =>
      fc
        .oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
          fc.bigInt({ min: 2n ** 63n, max: 2n ** 70n }).map(String),
          fc.constantFrom('-1', '0', '9007199254740993', '+1', '01', '1.0', '1e0', ' 1', '.', '..'),
        )
        .filter((id) => (parseInt64(id) ?? 0n) <= 0n || id === '9007199254740993')
        .map((id) => withTarget(request, request.target.replace('{fresh}', encodeURIComponent(id)))),
  },
  {
    ...{ fault: 'a method that is not offered', status: 405, fits: any },
    spoil: (request, { offered }) =>
      fc
        .constantFrom(
          ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].filter((one) => !offered.includes(one)),
        )
        .map((method) => withMethod(request, method)),
  },
  {
    ...{ fault: 'an expectation', status: 417, fits: any },
    spoil: (request) => visible.map((value) => withHeader(request, 'Expect', value)),
  },
  {
    ...{ fault: 'a target too long', status: 414, fits: any },
    spoil: (request) =>
      fc.integer({ min: 9_000, max: 12_000 }).map((length) => withQuery(request, 'x'.repeat(length))),
  },
  {
    ...{ fault: 'headers too large', status: 431, fits: any },
    spoil: (request) =>
      fc
        .integer({ min: 17_000, max: 60_000 })
        .map((length) => withHeader(request, 'X-Large', 'x'.repeat(length))),
  },
  {
    ...{ fault: 'a wrong limit', status: 400, fits: isList },
    spoil: (request) => notInteger.map((value) => withQuery(request, `limit=${value}`)),
  },
  {
    ...{ fault: 'a wrong status', status: 400, fits: isList },
    spoil: (request) =>
      fc
        .stringMatching(/^[A-Z0-9 ]{0,12}$/)
        .map((value) => withQuery(request, `status=${encodeURIComponent(value)}`)),
  },
  {
    ...{ fault: 'a wrong cursor', status: 400, fits: isList },
    spoil: (request) =>
      fc.stringMatching(/^[\w-]{0,30}$/).map((value) => withQuery(request, `cursor=${value}`)),
  },
  {
    ...{ fault: 'a wrong Idempotency-Key', status: 400, fits: isCreation },
    spoil: (request) =>
      fc
        .oneof(
          fc
            .tuple(visible, fc.constantFrom(' ', '\t', 'é', '\u0080'), visible)
            .map((parts) => parts.join('')),
          fc.integer({ min: 256, max: 400 }).map((length) => 'x'.repeat(length)),
          fc.constantFrom('', '""'),
        )
        .map((value) => withHeader(request, 'Idempotency-Key', value)),
  },
  {
    ...{ fault: 'another media type', status: 415, fits: hasBody },
    spoil: (request) =>
      fc
        .oneof(
          fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=latin1', ''),
          visible,
        )
        .map((value) => withHeader(request, 'Content-Type', value)),
  },
  {
    ...{ fault: 'a content coding', status: 415, fits: hasBody },
    spoil: (request) =>
      fc
        .constantFrom('gzip', 'br', 'deflate', 'zstd', 'x')
        .map((value) => withHeader(request, 'Content-Encoding', value)),
  },
  {
    ...{ fault: 'a body too large', status: 413, fits: hasBody },
    spoil: (request) =>
      fc.integer({ min: 66_000, max: 90_000 }).map((length) => withBody(request, ' '.repeat(length))),
  },
  {
    ...{ fault: 'broken JSON', status: 400, fits: hasBody },
    spoil: (request) =>
      fc.nat().map((at) => {
        const text = (request.body ?? Buffer.from('')).toString('latin1').trimEnd();
        return withBody(request, Buffer.from(text.slice(0, at % text.length), 'latin1'));
      }),
  },
  {
    ...{ fault: 'bytes that are not UTF-8', status: 400, fits: hasBody },
    spoil: (request) =>
      fc
        .uint8Array({ min: 0x80, max: 0xbf, minLength: 1, maxLength: 20 })
        .map((bytes) => withBody(request, Buffer.from(bytes))),
  },
  {
    ...{ fault: 'a body that is no object', status: 400, fits: hasBody },
    spoil: (request) =>
      fc
        .jsonValue({ maxDepth: 2 })
        .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
        .map((value) => withBody(request, JSON.stringify(value))),
  },
  {
    ...{ fault: 'a wrong member', status: 400, fits: hasBody },
    spoil: (request, { body }) => wrongBody(body ?? {}).map((text) => withBody(request, text)),
  },
];

/** A body with one member that its schema does not allow, or without one that it requires. */
function wrongBody({ properties = {}, required = [] }: Schema): fc.Arbitrary<string> {
  const fine: Readonly<Record<string, string>> = { name: '"Rex"', categoryId: '1', petId: '1' };
  return fc.constantFrom(...Object.keys(properties)).chain((name) => {
    const others = Object.keys(properties)
      .filter((one) => one !== name && required.includes(one))
      .map((one) => `${JSON.stringify(one)}:${fine[one] ?? '"placed"'}`);
    const wrong = wrongText(resolve<Schema>(properties[name] ?? {})).map((text) => [
      `${JSON.stringify(name)}:${text}`,
    ]);
    return (required.includes(name) ? fc.oneof(wrong, fc.constant([])) : wrong).map(
      (own) => `{${[...others, ...own].join(',')}}`,
    );
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
    );
  }
  if (schema.enum !== undefined) {
    const words = new Set(schema.enum);
    return fc.oneof(
      never,
      fc
        .string()
        .filter((text) => !words.has(text))
        .map((text) => JSON.stringify(text)),
      fc.constant('7'),
    );
  }
  return fc.oneof(
    never,
    fc.constantFrom('7', '""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"a\\udc00"', '"\\u0085"'),
    fc.integer({ min: 256, max: 2000 }).map((length) => JSON.stringify('🐕'.repeat(length))),
  );
}

/** Any operation, with any one fault that it can have. */
export const illegalRequest: fc.Arbitrary<IllegalRequest> = fc
  .constantFrom(...SPOILINGS)
  .chain(({ fault, status, fits, spoil }) =>
    fc.constantFrom(...OPERATIONS.filter(fits)).chain((operation) =>
      requestFor(operation)
        .chain((request) => spoil(request, operation))
        .map((request) => ({ fault, status, request })),
    ),
  );
