import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

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
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation, as far as requests go. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With `{petId}` and the like. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

const document = parse(readFileSync('docs/openapi.yaml', 'utf8')) as {
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
  const { operationId: id = '', parameters = [], requestBody } = item[method] ?? {};
  return {
    id,
    method: method.toUpperCase(),
    path: `${document.servers[0].url}${path}`,
    parameters: parameters.map((one) => resolve<Parameter>(one)),
    ...(requestBody && { body: resolve<Schema>(requestBody.content['application/json'].schema) }),
  };
}
