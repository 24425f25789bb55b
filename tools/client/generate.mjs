// Generates the client's parts from the OpenAPI document: types and names of 64-bit integers.
import { readFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';

const HEAD = '// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.\n';

/** The text of each file, by its name. */
export async function generateClient(documentFile) {
  const { openapi, info, components, paths } = parse(await readFile(documentFile, 'utf8'));
  const { schemas } = components;
  // Its methods are the operations: the types of each response would be most of the package.
  const types = await openapiTypescript(
    { openapi, info, paths: {}, components: { schemas } },
    {
      alphabetize: true,
      // A double would round an identifier.
      transform: ({ format }) =>
        format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
    },
  );
  return {
    'schema.ts': `${HEAD}${astToString(types)}`,
    'int64.ts': `${HEAD}${INT64}${JSON.stringify(int64Names(schemas, paths), null, 2)});\n`,
  };
}

const INT64 = `/** The members and parameters that are 64-bit integers. */
export const INT64_NAMES: ReadonlySet<string> = new Set(`;

/** JSON has no types, so a name must be int64 everywhere or nowhere. The client treats every `…Id` as one. */
function int64Names(schemas, paths) {
  const [exact, others] = [new Set(), new Set()];
  for (const [name, schema] of [schemas, paths].flatMap(namedSchemas)) {
    const { type, format } = schema.items ?? schema;
    if (format === 'int64') exact.add(name);
    else if (type === 'integer' || name.endsWith('Id')) others.add(name);
  }
  const mixed = [...others].filter((name) => exact.has(name) || name.endsWith('Id'));
  if (mixed.length > 0) throw new Error(`not everywhere int64: ${mixed.join(', ')}`);
  const members = namedSchemas(schemas).filter(
    ([, { format, type }]) => format === 'int64' && type === 'integer',
  );
  if (JSON.stringify(schemas).split('"format":"int64"').length - 1 !== members.length)
    throw new Error('the client reads int64 only where a member is one: not in an array, a map or null');
  return [...exact].sort((a, b) => a.localeCompare(b));
}

/** All properties and parameters within a part of the document, by their names. */
function namedSchemas(part) {
  if (typeof part !== 'object' || part === null) return [];
  const { properties = {}, name, schema } = part;
  return [
    ...Object.entries(properties),
    ...(typeof name === 'string' && typeof schema === 'object' ? [[name, schema]] : []),
    ...Object.values(part).flatMap(namedSchemas),
  ];
}
