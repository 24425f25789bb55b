// node tools/prisma-diff.mjs URL [SCHEMA]: what `prisma migrate diff --exit-code` prints, from a database to prisma/schema.prisma. Prisma's
// command downloads its engine; this runs the same engine, as WebAssembly from the npm registry. Exits with 0 if nothing differs, else with 2.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { argv } from 'node:process';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const [url, path = 'prisma/schema.prisma'] = argv.slice(2);

/** The catalog has columns of the type "char", which the engine expects and the adapter does not know: relabel them as floats. */
const CHAR = 18;

class CatalogPool extends pg.Pool {
  async query(...args) {
    const result = await super.query(...args);
    for (const field of result.fields ?? [])
      if (field.dataTypeID === CHAR) field.dataTypeID = pg.types.builtins.FLOAT4;
    return result;
  }
}

const asChar = (type) => (type === ColumnTypeEnum.Float ? ColumnTypeEnum.Character : type);

class CatalogAdapter extends PrismaPg {
  async connect() {
    const connection = await super.connect();
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (query) => {
      const { columnTypes, ...result } = await queryRaw(query);
      return { ...result, columnTypes: columnTypes.map(asChar) };
    };
    return connection;
  }
}

globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
const wasm = await readFile(
  fileURLToPath(import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg')).replace(/js$/, 'wasm'),
);
const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': engine });
engine.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const files = [{ path, content: await readFile(path, 'utf8') }];
const pool = new CatalogPool({ connectionString: url });
try {
  const schemaEngine = await engine.SchemaEngine.new(
    { datamodels: files.map(({ path: file, content }) => [file, content]) },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(new CatalogAdapter(pool)),
  );
  const { exitCode, stdout } = await schemaEngine.diff({
    from: { tag: 'schemaDatasource', files, configDir: '.' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  console.log(stdout);
  process.exitCode = exitCode;
} finally {
  await pool.end();
}
