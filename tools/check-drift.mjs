// npm run check -- drift: do prisma/schema.prisma and prisma/migrations say the same? And does Prisma agree that the
// service's own runner, which applies the migrations at start, has applied them?
import { runPrisma } from './prisma/command.mjs';
import { openTemporaryDatabase } from './temporary-database.mjs';

/** Prisma's words. Its exit code alone is no proof: it is 0, too, when Prisma loses its schema engine. */
const NO_DIFFERENCE = 'No difference detected.';
const UP_TO_DATE = 'Database schema is up to date!';

try {
  const database = await openTemporaryDatabase();
  try {
    await compareWithSchema(database.url);
    await compareWithRunner(database.url);
  } finally {
    await database.close();
  }
  process.stdout.write(
    'No drift: the migrations make what schema.prisma says, and Prisma agrees with the runner.\n',
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function compareWithSchema(databaseUrl) {
  const { code, output } = await runPrisma(
    [
      'migrate',
      'diff',
      '--from-migrations',
      'prisma/migrations',
      '--to-schema',
      'prisma/schema.prisma',
      '--exit-code',
    ],
    { databaseUrl },
  );
  if (code === 0 && output.includes(NO_DIFFERENCE)) return;
  const finding =
    code === 2
      ? 'Drift: prisma/migrations lack what prisma/schema.prisma says, or say more.'
      : 'The migrations could not be compared with prisma/schema.prisma.';
  throw new Error(`${finding}\n${output.trim()}`);
}

async function compareWithRunner(databaseUrl) {
  const { migrate } = await import('../dist/prisma/migrations.js');
  const applied = await migrate({ connectionString: databaseUrl });
  const { code, output } = await runPrisma(['migrate', 'status'], { databaseUrl });
  if (code === 0 && output.includes(UP_TO_DATE)) return;
  throw new Error(
    `After the runner applied ${applied.length} migrations, Prisma disagrees:\n${output.trim()}`,
  );
}
