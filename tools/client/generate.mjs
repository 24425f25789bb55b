// Writes the types of the client, which come from the OpenAPI document.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';

const HEAD = '// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.\n';

/** The text of each file, by its name. */
export async function generateClient(documentFile) {
  const { components } = parse(await readFile(documentFile, 'utf8'));
  checkIdNames(components.schemas);
  const types = await openapiTypescript(pathToFileURL(documentFile), {
    alphabetize: true,
    // A double would round an identifier.
    transform: ({ format }) =>
      format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  });
  return { 'schema.ts': `${HEAD}${astToString(types)}` };
}

/** The client knows identifiers by their names, and reads other integers as numbers. */
function checkIdNames(schemas) {
  for (const { properties = {} } of Object.values(schemas))
    for (const [name, { format }] of Object.entries(properties))
      if (/^id$|Id$/.test(name) && format !== 'int64') throw new Error(`${name} is not int64`);
}
