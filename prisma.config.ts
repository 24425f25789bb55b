import { defineConfig } from 'prisma/config';

/** Only the commands that look at a database need one; `generate` does not. */
const url = process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url !== undefined && url !== '' && { datasource: { url } }),
});
