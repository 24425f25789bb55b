import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ErrorCode } from '../../src/errors/error-codes.js';

export const DOCUMENT_COPY = readFileSync('docs/openapi.yaml', 'utf8');

/** As much of JSON Schema as the document uses for what is sent. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation of the checked-in document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{petId}` and the like. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
  /** The first one of the document. */
  readonly bodyExample?: unknown;
  readonly successStatus: number;
  /** Of its error responses. */
  readonly codes: readonly ErrorCode[];
}

interface DescribedResponse {
  readonly content?: {
    readonly 'application/json': { readonly examples?: Readonly<Record<string, unknown>> };
  };
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: Schema;
        readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
      };
    };
  };
  readonly responses: Readonly<Record<string, DescribedResponse | { readonly $ref: string }>>;
}

const document = parse(DOCUMENT_COPY) as {
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};

/** Follows a reference; what is none is its own end. */
export function resolve<Value extends object>(value: Value | { readonly $ref: string }): Value {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
  return value.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((inside, name) => (inside as Record<string, unknown>)[name], document) as Value;
}

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => operationOf(path, method, item)),
);

function operationOf(path: string, method: string, item: Readonly<Record<string, Described>>): Operation {
  const { operationId: id = '', parameters = [], requestBody, responses = {} } = item[method] ?? {};
  const errors = Object.entries(responses).filter(([status]) => status >= '4');
  return {
    id,
    method: method.toUpperCase(),
    path: `${document.servers[0].url}${path}`,
    parameters: parameters.map((one) => resolve<Parameter>(one)),
    successStatus: Number(Object.keys(responses).find((status) => status.startsWith('2'))),
    codes: errors.flatMap(([, response]) => {
      const { content } = resolve<DescribedResponse>(response);
      return Object.keys(content?.['application/json'].examples ?? {}) as ErrorCode[];
    }),
    ...(requestBody && {
      body: resolve<Schema>(requestBody.content['application/json'].schema),
      bodyExample: Object.values(requestBody.content['application/json'].examples ?? {})[0]?.value,
    }),
  };
}
