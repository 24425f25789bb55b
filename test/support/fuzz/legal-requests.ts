import fc from 'fast-check';
import { isEmail, isURL } from 'class-validator';
import { int64TextFrom } from '../arbitraries.js';
import { type Operation, OPERATIONS, type Parameter, resolve, type Schema } from '../document.js';
import type { Request } from './fuzz-service.js';

/** Any request that the document allows and the present records let succeed. */
export const legalRequest: fc.Arbitrary<Request> = fc.constantFrom(...OPERATIONS).chain(requestFor);

export function requestFor(operation: Operation): fc.Arbitrary<Request> {
  const { method, path, parameters, body: schema } = operation;
  const valuesIn = (where: Parameter['in']): fc.Arbitrary<Record<string, string>> => {
    const some = parameters.filter((one) => one.in === where);
    return fc.record(Object.fromEntries(some.map((one) => [one.name, parameterText(one)])), {
      requiredKeys: some.filter(({ required }) => required === true).map(({ name }) => name),
    });
  };
  return fc
    .record({
      query: valuesIn('query'),
      inPath: valuesIn('path'),
      headers: valuesIn('header'),
      body: schema === undefined ? fc.constant(undefined) : bodyText(operation, schema),
    })
    .map((parts) => {
      const body = parts.body === undefined ? {} : { body: Buffer.from(parts.body) };
      const type = parts.body === undefined ? {} : { 'Content-Type': 'application/json' };
      const headers = Object.entries({ ...parts.headers, ...type });
      return Object.assign(body, {
        method,
        target: targetOf(path, parts.inPath, parts.query),
        headers,
      });
    });
}

function targetOf(
  path: string,
  inPath: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => inPath[name] ?? '');
  const written = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return written.length === 0 ? filled : `${filled}?${written.join('&')}`;
}

/** Values that only the service knows, such as a cursor, are inserted when the request is sent: `{cursor}`, `{fresh}`. */
function parameterText({ name, in: where, schema: reference }: Parameter): fc.Arbitrary<string> {
  const schema = resolve<Schema>(reference);
  if (name === 'cursor') return fc.constant('{cursor}');
  if (where === 'path') return fc.constant('{fresh}');
  // Any other value may fail.
  if (name === 'If-Match') return fc.constant('*');
  if (name === 'If-None-Match') return fc.stringMatching(/^"[!#-~]{0,30}"$/);
  if (name === 'Idempotency-Key') return fc.uuid();
  if (schema.type !== 'array') return queryText(schema);
  return fc
    .array(queryText(resolve<Schema>(schema.items ?? {})), { minLength: 1, maxLength: 5 })
    .map((texts) => texts.join(`&${name}=`));
}

/** Unlike JSON, a query has only plain decimal numbers. */
const queryText = (schema: Schema): fc.Arbitrary<string> =>
  schema.format === 'int64'
    ? int64TextFrom(schema.minimum, schema.maximum)
    : jsonText(schema).map((text) => encodeURIComponent(String(JSON.parse(text))));

/** The one status that a placed order cannot take at once, and numbers of categories, which could not be deleted any more. */
const isExcluded = (text: string): boolean => text === '"delivered"' || /^[1-9]\d{0,6}(?:\D|$)/.test(text);

/** The member of a resource that no two of its records have in common, by the operations that write it. */
const UNIQUE: Readonly<Record<string, string>> = { createCategory: 'name', putCategory: 'name' };

/** Where there is room, a unique text begins with a number; longer ones differ without. */
const unique =
  ({ maxLength = 0 }: Schema) =>
  (text: string): string =>
    text.length < maxLength - 10 ? text.replace('"', '"{fresh} ') : text;

function bodyText({ id }: Operation, schema: Schema): fc.Arbitrary<string> {
  const { properties = {}, required = [], minProperties = 0 } = schema;
  const members = Object.entries(properties).map(([name, one]) => {
    if (id === 'placeOrder') return [name, fc.constant('{fresh}')] as const;
    const resolved = resolve<Schema>(one);
    const text = jsonText(resolved).filter((value) => !isExcluded(value));
    return [name, UNIQUE[id] === name ? text.map(unique(resolved)) : text] as const;
  });
  const known = fc
    .record(Object.fromEntries(members), { requiredKeys: [...required] })
    .filter((some) => Object.keys(some).length >= minProperties);
  // Members that are not known are ignored, but for those that could reach a prototype.
  const others = fc.dictionary(
    fc.stringMatching(/^x-[a-z]{1,8}$/),
    fc.json({ maxDepth: 2 }).map((text) => text.replaceAll('{fresh}', '').replaceAll('__proto__', '_proto_')),
    { maxKeys: 2 },
  );
  return fc.tuple(known, others, fc.constantFrom('', ' ', '\n\t')).map(
    ([some, more, space]) =>
      `${space}{${Object.entries({ ...more, ...some })
        .map(([name, text]) => `${space}${JSON.stringify(name)}${space}:${text}${space}`)
        .join(',')}}${space}`,
  );
}

/** What class-validator takes. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.emailAddress().filter((text) => isEmail(text)),
  uri: fc.webUrl().filter((text) => isURL(text)),
};

/** JSON text of any value that fits a schema. */
export function jsonText(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum).map((one) => JSON.stringify(one));
  if (schema.type === 'integer') {
    if (schema.format !== 'int64')
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 0x7fffffff }).map(String);
    return fc
      .tuple(int64TextFrom(schema.minimum, schema.maximum), fc.constantFrom('', '.0', 'e0', '.00E+0'))
      .map((parts) => parts.join(''));
  }
  if (schema.type !== 'string') throw new Error(`no values are known for the type ${schema.type}`);
  const { format = '', maxLength = 100 } = schema;
  const ofFormat = FORMATS[format]?.filter((text) => text.length <= maxLength);
  if (ofFormat !== undefined) return ofFormat.map((text) => JSON.stringify(text));
  const pattern = new RegExp(schema.pattern ?? '', 'u');
  const minLength = schema.minLength ?? 0;
  // Of a narrow pattern, random characters would hardly ever be an example.
  const texts = pattern.test('~'.repeat(minLength || 1))
    ? fc.string({ unit: 'binary', minLength, maxLength })
    : fc.stringMatching(pattern).filter(({ length }) => length >= minLength && length <= maxLength);
  return texts.filter((text) => pattern.test(text)).map((text) => JSON.stringify(text));
}
