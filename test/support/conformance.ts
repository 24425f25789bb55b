import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isEmail } from 'class-validator';
import { parse } from 'lossless-json';
import { isInt64 } from '../../src/database/int64.js';
import { PROBLEM_TYPE } from '../../src/errors/error-body.js';

/** A response, and its request. */
export interface CheckedResponse {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  readonly status: number;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: string;
}

/** A response that an operation can give, as it is documented, such as `getPet 404`. */
export type Occurrence = `${string} ${string}`;

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly id: string;
  readonly responses: Readonly<Record<string, Json>>;
}

/** Headers of HTTP itself, which an OpenAPI document does not list. */
const TRANSPORT = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];

/** The document has problem details in prose and as a component: every error may be served as them. */
const PROBLEM = { schema: { $ref: '#/components/schemas/Problem' } };

/** RFC 3339 in UTC, as the service writes it. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function fail(message: string): never {
  throw new Error(message);
}

/** Compares responses with an OpenAPI document: an undocumented part is a fault, and so is a documented part that is missing. */
export class Conformance {
  /** Every response that the documented operations can give. */
  readonly documented = new Set<Occurrence>();
  /** Those that were compared with the document. */
  readonly seen = new Set<Occurrence>();
  readonly #document: Json;
  readonly #basePath: string;
  readonly #paths: readonly {
    readonly pattern: RegExp;
    readonly operations: Readonly<Record<string, Operation>>;
  }[];
  readonly #schemas = new Map<string, ValidateFunction>();
  readonly #ajv = new Ajv2020({
    ...{ strict: false, validateSchema: false, allErrors: true },
    // A format that it does not know would not be compared.
    logger: { log: console.log, warn: fail, error: fail },
  });

  constructor(documentJson: string) {
    const document = JSON.parse(documentJson) as Json;
    const [server] = document['servers'] as readonly { readonly url: string }[];
    this.#document = withClosedSchemas(document);
    this.#basePath = new URL(server?.url ?? '/', 'http://service').pathname;
    this.#ajv.addFormat('int64', { type: 'number', validate: Number.isInteger });
    this.#ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.#ajv.addFormat('date-time', INSTANT);
    this.#ajv.addFormat('email', isEmail);
    this.#ajv.addFormat('uri', (text) => URL.canParse(text));
    this.#ajv.addFormat('uri-reference', /^[^\s"<>\\^`{|}]+$/);
    this.#ajv.addSchema(this.#document, 'document');
    this.#paths = Object.entries(document['paths'] as Readonly<Record<string, Json>>).map(([path, item]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}$`),
      operations: this.#operationsOf(item),
    }));
  }

  /** The errors of a response; none when it belongs to no documented operation. */
  faults(response: CheckedResponse): readonly string[] {
    const operation = this.#operationOf(response);
    if (operation === undefined) return [];
    const { id, responses } = operation;
    const documented = responses[response.status];
    if (documented === undefined) return [`${id} ${response.status} is not documented`];
    const occurrence: Occurrence = `${id} ${response.status}`;
    this.seen.add(occurrence);
    const headers = new Map(Array.from(response.headers, ([name, value]) => [name.toLowerCase(), value]));
    return [
      ...this.#headerFaults(documented, headers),
      ...(response.method === 'HEAD'
        ? bodyFaultsOfHead(response.body)
        : this.#bodyFaults(occurrence, documented, headers, response.body)),
    ].map((fault) => `${occurrence}: ${fault}`);
  }

  #operationsOf(item: Json): Readonly<Record<string, Operation>> {
    const operations: Record<string, Operation> = {};
    for (const [method, described] of Object.entries(item)) {
      const { operationId: id, responses } = described as {
        operationId: string;
        responses: Record<string, Json>;
      };
      for (const status of Object.keys(responses)) this.documented.add(`${id} ${status}`);
      const resolved = Object.entries(responses).map(([status, one]) => [status, this.#resolve(one)]);
      operations[method] = { id, responses: Object.fromEntries(resolved) as Record<string, Json> };
    }
    return operations;
  }

  #operationOf({ method, target }: CheckedResponse): Operation | undefined {
    const [path = ''] = target.split('?', 1);
    if (!path.startsWith(`${this.#basePath}/`)) return undefined;
    const relative = path.slice(this.#basePath.length);
    const found = this.#paths.find(({ pattern }) => pattern.test(relative));
    // The document describes HEAD in prose: as GET, without a body.
    return found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  #headerFaults(response: Json, headers: ReadonlyMap<string, string>): readonly string[] {
    const faults: string[] = [];
    const known = new Set(TRANSPORT);
    for (const [name, described] of Object.entries(
      (response['headers'] ?? {}) as Readonly<Record<string, Json>>,
    )) {
      const { required, schema } = this.#resolve(described) as {
        required?: boolean;
        schema: { type: string };
      };
      const value = headers.get(name.toLowerCase());
      known.add(name.toLowerCase());
      if (value === undefined && required === true) faults.push(`the header ${name} is missing`);
      if (value !== undefined && schema.type === 'integer' && !/^(?:0|[1-9]\d*)$/.test(value)) {
        faults.push(`the header ${name} is no integer: ${value}`);
      }
    }
    for (const name of headers.keys())
      if (!known.has(name)) faults.push(`the header ${name} is not documented`);
    return faults;
  }

  #bodyFaults(
    occurrence: Occurrence,
    response: Json,
    headers: ReadonlyMap<string, string>,
    body: string,
  ): readonly string[] {
    const content = response['content'] as Json | undefined;
    if (content === undefined) return body === '' ? [] : ['a body is not documented'];
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';', 1);
    const media = (mediaType === PROBLEM_TYPE ? PROBLEM : content[mediaType]) as
      { readonly schema: object } | undefined;
    if (media === undefined) return [`the media type "${mediaType}" is not documented`];
    const faults: string[] = [];
    const value = parse(body, undefined, (digits) => {
      // Every number of the interface is an integer, written to the digit.
      if (!/^(?:0|-?[1-9]\d*)$/.test(digits) || !isInt64(BigInt(digits)))
        faults.push(`${digits} is no int64`);
      return Number(digits);
    });
    const validate = this.#validator(`${occurrence} ${mediaType}`, media.schema);
    if (!validate(value)) faults.push(`the body ${body}: ${this.#ajv.errorsText(validate.errors)}`);
    return faults;
  }

  #validator(name: string, schema: object): ValidateFunction {
    const known = this.#schemas.get(name);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile(withAbsoluteReferences(schema) as object);
    this.#schemas.set(name, validate);
    return validate;
  }

  #resolve(described: Json): Json {
    const { $ref } = described;
    if (typeof $ref !== 'string') return described;
    return $ref
      .slice('#/'.length)
      .split('/')
      .reduce((inside, name) => inside[name] as Json, this.#document);
  }
}

const bodyFaultsOfHead = (body: string): readonly string[] => (body === '' ? [] : ['HEAD has a body']);

/** Clients have to ignore members that they do not know, so the document leaves its objects open; the service must not. */
function withClosedSchemas(document: Json): Json {
  const components = document['components'] as { readonly schemas: Readonly<Record<string, Json>> };
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [
    name,
    'properties' in schema ? { ...schema, additionalProperties: false } : schema,
  ]);
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) as Json } };
}

function withAbsoluteReferences(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
}
