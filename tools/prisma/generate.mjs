// `prisma generate`, unless what it made last is still right: every build asks for it.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFile, root } from '../project.mjs';
import { runPrisma } from './command.mjs';

/** As schema.prisma says. */
const OUTPUT = join(root, 'src/generated/prisma');
/** Lies in the output, which Prisma empties first: so it is there only beside what it stands for. */
const STAMP = join(OUTPUT, '.made-from');

/** Generates the Prisma client. Throws with Prisma's output when it fails, and prints nothing itself. */
export async function generateClient() {
  const sources = await hashSources();
  if ((await readIfThere(STAMP)) === sources) return;
  const { code, output } = await runPrisma(['generate']);
  if (code !== 0) throw new Error(`The Prisma client was not generated.\n${output.trim()}`);
  await writeFile(STAMP, sources);
}

/** Of everything that the client is made from. */
async function hashSources() {
  const sources = [
    join(root, 'prisma/schema.prisma'),
    join(root, 'prisma.config.ts'),
    packageFile('prisma', 'package.json'),
  ];
  const hash = createHash('sha256');
  for (const file of sources) hash.update(await readFile(file)).update('\0');
  return hash.digest('hex');
}

async function readIfThere(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
