// npm run prisma -- <command> …: Prisma's command line, without the internet and without anything to set up.
// The development commands get an empty database of their own where DATABASE_URL names none.
import { runPrisma } from './prisma/command.mjs';
import { generateClient } from './prisma/generate.mjs';
import { openTemporaryDatabase } from './temporary-database.mjs';

/** What only needs a database to compare with; any other command is about the database that DATABASE_URL names. */
const NEEDS_ANY_DATABASE = new Set(['migrate dev', 'migrate diff']);

const words = process.argv.slice(2);
try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run() {
  if (words.length === 1 && words[0] === 'generate') {
    await generateClient();
    return 0;
  }
  const lacksDatabase = process.env.DATABASE_URL === undefined || process.env.DATABASE_URL === '';
  if (!lacksDatabase || !NEEDS_ANY_DATABASE.has(words.slice(0, 2).join(' '))) {
    return (await runPrisma(words, { shown: true })).code;
  }
  process.stderr.write('DATABASE_URL is not set: this runs on an empty, temporary database.\n');
  const database = await openTemporaryDatabase();
  try {
    return (await runPrisma(words, { shown: true, databaseUrl: database.url })).code;
  } finally {
    await database.close();
  }
}
