// Writes the parts of the client that come from the OpenAPI document: its types, the closed set of error codes, and which members are int64.
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
    'int64-members.ts': listFile('INT64_MEMBERS', int64Members(components.schemas)),
  };
}

const listFile = (name, words) =>
  `${HEAD}export const ${name} = [\n${words.map((word) => `  '${word}',\n`).join('')}] as const;\n`;

/** The client knows them by name alone, so a name must mean the same in every schema. */
function int64Members(schemas) {
  const members = Object.values(schemas).flatMap(({ properties = {} }) => Object.entries(properties));
  const names = (wanted) =>
    new Set(members.filter(([, { format }]) => (format === 'int64') === wanted).map(([name]) => name));
  const [int64, others] = [names(true), names(false)];
  for (const name of int64) if (others.has(name)) throw new Error(`${name} is int64 in one schema only`);
  return [...int64].sort();
}
