import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { type DocumentedOperation, isConditional } from './documented-operation.js';
import { type DtoMember, type Json, membersOf, type NamedSchemas } from './schemas.js';

/** Parameters that more than one operation takes, by component. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique value for this request, such as a UUID. If you repeat the request with the same value and body within 24 ' +
      'hours, it is not executed again and returns the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing ' +
      'is changed. Weak tags never match; `*` always matches.',
    schema: { type: 'string' },
    example: '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of your copy. If it is still current, the response is 304 without a body.',
    schema: { type: 'string' },
    example: '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
  },
} as const satisfies Record<string, Json>;

/** The parameters of an operation: of the path, of the query, and of the headers. */
export function parametersOf(operation: DocumentedOperation, schemas: NamedSchemas): readonly Json[] {
  const { pathParameters, notes, method } = operation;
  const { query } = notes;
  return [
    ...pathParameters.map((name) => ({
      name,
      in: 'path',
      required: true,
      description: 'The identifier. Anything but a decimal int64 is 404.',
      schema: { type: 'integer', format: 'int64' },
      example: 301,
    })),
    ...(query === undefined ? [] : asInAnswers(query, operation)).map((member) =>
      queryParameter(member, schemas),
    ),
    ...(isConditional(method) ? [{ $ref: '#/components/parameters/If-Match' }] : []),
    ...(method === 'get' ? [{ $ref: '#/components/parameters/If-None-Match' }] : []),
    ...(method === 'post' ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
}

/** The schema of the body that an operation takes, named as the interface names it: without the suffix of its DTO. */
export function bodySchemaOf(operation: DocumentedOperation, schemas: NamedSchemas): Json | undefined {
  const { body } = operation.notes;
  if (body === undefined) return undefined;
  const members = asInAnswers(body, operation);
  return schemas.use({
    title: body.name.replace(/Body$/, ''),
    type: 'object',
    properties: Object.fromEntries(
      members.map(({ name, schema, description }) => [
        name,
        { ...schema, ...(description && { description }) },
      ]),
    ),
    required: members.filter(({ required }) => required).map(({ name }) => name),
  });
}

const queryParameter = ({ name, schema, description, required }: DtoMember, schemas: NamedSchemas): Json => ({
  name,
  in: 'query',
  required,
  ...(description !== undefined && { description }),
  schema: schemas.use(schema),
});

/** A member that is sent is what it is in the answer; its DTO may describe it otherwise. */
function asInAnswers(dto: Type, { success }: DocumentedOperation): readonly DtoMember[] {
  const resource = (success.schema['items'] ?? success.schema) as Json;
  const answered = (resource['properties'] ?? {}) as Readonly<Record<string, Json>>;
  return membersOf(dto).map((member) => asInAnswer(member, answered[member.name]));
}

function asInAnswer(member: DtoMember, answered: Json | undefined): DtoMember {
  if (answered === undefined) return member;
  // An enumeration has a name, and says itself what it means.
  if ('enum' in answered && isDeepStrictEqual(answered['enum'], member.schema['enum'])) {
    return { ...member, schema: answered };
  }
  return { ...member, description: member.description ?? (answered['description'] as string | undefined) };
}
