// Prisma's command line, without the internet: the schema engine is ours, and everything that calls home is off.
import { accessSync, chmodSync, constants } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile, runScript } from '../project.mjs';

const engine = fileURLToPath(new URL('../schema-engine.mjs', import.meta.url));

/** Runs one command of Prisma, on `databaseUrl` or else on DATABASE_URL; options as of `runScript`. */
export function runPrisma(words, { shown = false, databaseUrl = process.env.DATABASE_URL } = {}) {
  makeExecutable(engine);
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    // Prisma starts the engine as a program; its first line asks for "node", which has to be this one.
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    // Telemetry and the look for a newer release.
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  // Hints are advertisements, a survey, and an offer to install more.
  const quiet = words[0] === 'generate' ? ['--no-hints'] : [];
  return runScript(packageFile('prisma', 'build/index.js'), [...words, ...quiet], { shown, env });
}

/** An archive or a copy of the project may have lost the permission that Git keeps. */
function makeExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
}
