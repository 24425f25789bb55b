import { defineConfig } from 'prisma/config';

// `prisma generate` never starts the schema engine, yet downloads it unless this names an existing file.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

/** Only the commands that look at a database need one; `generate` does not. */
const url = process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url !== undefined && url !== '' && { datasource: { url } }),
});
