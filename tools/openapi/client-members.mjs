// npm run check -- openapi: the typed client is exact for each int64 of the document, whatever its name is. It is generated from a copy of the
// document with two more members, compiled with a program that names their types, and run.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { generateClient } from '../client/generate.mjs';
import { packageFile, root, runScript } from '../project.mjs';

const PROGRAM = `import { type Pet, PetStore } from './src/index.js';
  const PET = '{"id":1,"name":"Rex","categoryId":7,"weightGrams":9007199254740993,"supplierId":-9007199254740995}';
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = (_url, init) => {
    sent.push(init?.body);
    return Promise.resolve(new Response(PET));
  };
  const options = { baseUrl: 'http://localhost/v1', apiKey: 'psk_', fetch };
  const pet: Pet = await new PetStore(options).createPet({ name: 'Rex', categoryId: 7, weightGrams: 8 });
  const texts: readonly [string, string | undefined] = [pet.weightGrams, pet.supplierId];
  const exact = await new PetStore({ ...options, int64: 'bigint' }).createPet(pet);
  const integers: readonly [bigint, bigint | undefined] = [exact.weightGrams, exact.supplierId];
  await new PetStore(options).createPet({ ...exact, supplierId: 9 });
  // @ts-expect-error it is a bigint
  const rounded: number = exact.weightGrams;
  const numbers = await new PetStore({ ...options, int64: 'number' }).createPet(pet).catch(String);
  console.log([...texts, ...integers].map((one) => \`\${typeof one} \${one}\`).join(', '));
  console.log([...sent, numbers, typeof rounded].join('\\n'));`;

const PRINTED = `string 9007199254740993, string -9007199254740995, bigint 9007199254740993, bigint -9007199254740995
{"name":"Rex","categoryId":7,"weightGrams":8}
{"id":1,"name":"Rex","categoryId":7,"weightGrams":9007199254740993,"supplierId":-9007199254740995}
{"id":1,"name":"Rex","categoryId":7,"weightGrams":9007199254740993,"supplierId":9}
{"id":1,"name":"Rex","categoryId":7,"weightGrams":9007199254740993,"supplierId":-9007199254740995}
RangeError: weightGrams is 9007199254740993, beyond safe numbers: use int64 'string' or 'bigint'.
bigint
`;

const INT64 = { type: 'integer', format: 'int64' };

const folder = await mkdtemp(join(tmpdir(), 'petstore-members-'));
try {
  const document = parse(await readFile(join(root, 'docs/openapi.yaml'), 'utf8'));
  for (const name of ['Pet', 'NewPet']) {
    const schema = document.components.schemas[name];
    Object.assign(schema.properties, { weightGrams: INT64, supplierId: INT64 });
    schema.required.push('weightGrams');
  }
  await writeFile(join(folder, 'openapi.yaml'), stringify(document));
  await cp(join(root, 'client/src'), join(folder, 'src'), { recursive: true });
  const files = await generateClient(join(folder, 'openapi.yaml'));
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, 'src/generated', name), text);
  await writeFile(join(folder, 'use.ts'), PROGRAM);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { rootDir: '.', outDir: 'dist' };
  const configuration = {
    extends: join(root, 'client/tsconfig.json'),
    compilerOptions,
    include: ['src', 'use.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  await mustRun(packageFile('@typescript/native', 'bin/tsc'), ['-p', folder]);
  const printed = await mustRun(join(folder, 'dist/use.js'), []);
  if (printed !== PRINTED) throw new Error(`the client with more members printed ${printed}`);
  for (const schema of [
    { type: 'array', items: INT64 },
    { type: 'object', additionalProperties: INT64 },
    { ...INT64, type: ['integer', 'null'] },
  ]) {
    document.components.schemas.Pet.properties.weightGrams = schema;
    await writeFile(join(folder, 'openapi.yaml'), stringify(document));
    const said = await generateClient(join(folder, 'openapi.yaml')).catch((error) => error.message);
    if (!/^(?:the client reads int64 only|not everywhere int64)/.test(said))
      throw new Error(`the client was generated with ${JSON.stringify(schema)}`);
  }
  console.log('The typed client is exact for members that the document gains');
} finally {
  await rm(folder, { recursive: true });
}

async function mustRun(script, words) {
  const { code, output } = await runScript(script, words);
  if (code !== 0) throw new Error(output.trim());
  return output;
}
