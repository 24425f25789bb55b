// Writes the types of the client, which come from the OpenAPI document.
import { readFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';

const HEAD = '// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.\n';

/** The text of each file, by its name. */
export async function generateClient(documentFile) {
  const { openapi, info, components } = parse(await readFile(documentFile, 'utf8'));
  const { schemas } = components;
  checkIdNames(schemas);
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
  return { 'schema.ts': `${HEAD}${astToString(types)}` };
}

/** The client knows identifiers by their names, and reads other integers as numbers. */
function checkIdNames(schemas) {
  for (const { properties = {} } of Object.values(schemas))
    for (const [name, { format }] of Object.entries(properties))
      if (/^id$|Id$/.test(name) && format !== 'int64') throw new Error(`${name} is not int64`);
}
