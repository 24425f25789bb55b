// Writes the parts of the client that come from the OpenAPI document: its types, the error codes, and which members are identifiers.
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';

const HEAD = '// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.\n';

/** The text of each file, by its name. */
export async function generateClient(documentFile) {
  const { components } = parse(await readFile(documentFile, 'utf8'));
  const types = await openapiTypescript(pathToFileURL(documentFile), {
    alphabetize: true,
    // A double would round an identifier.
    transform: ({ format }) =>
      format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  });
  return {
    'schema.ts': `${HEAD}${astToString(types)}`,
    'error-codes.ts': listFile('ERROR_CODES', components.schemas.Error.properties.code.enum),
    'id-members.ts': listFile('ID_MEMBERS', idMembers(components.schemas)),
  };
}

const listFile = (name, words) =>
  `${HEAD}export const ${name} = [\n${words.map((word) => `  '${word}',\n`).join('')}] as const;\n`;

/** The client knows them by name alone, so a name must mean the same in every schema. Other int64 are counts, which a number holds. */
function idMembers(schemas) {
  const members = Object.values(schemas).flatMap(({ properties = {} }) => Object.entries(properties));
  const ids = members.filter(([name]) => /^id$|Id$/.test(name));
  for (const [name, { format }] of ids) {
    if (format !== 'int64') throw new Error(`${name} is not int64 in every schema`);
  }
  return [...new Set(ids.map(([name]) => name))].sort();
}
