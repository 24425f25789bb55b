// npm run check:migrations: the migrations can be applied while the service works, and while the release before runs on.
// prisma/migrations/README.md tells how. Other folders may be named: migrations, and the records of releases.
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { lintReleases } from './migrations/lint.mjs';
import { readReleases } from './migrations/releases.mjs';
import { root } from './project.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
const [migrationsFolder = join(root, 'prisma/migrations'), releasesFolder = join(root, 'prisma/releases')] =
  positionals;

const { releases, faults: ofReleases } = readReleases(migrationsFolder, releasesFolder);
const faults = [...ofReleases, ...lintReleases(releases)];
if (values.json === true) {
  console.log(JSON.stringify(faults));
} else {
  for (const { migration, line, rule, message } of faults) {
    const file = relative(process.cwd(), join(migrationsFolder, migration, 'migration.sql'));
    console.error(`${file}:${line}: ${rule}: ${message}`);
  }
  if (faults.length === 0) console.log(`${releases.flat().length} migrations keep to the rules`);
}
if (faults.length > 0) process.exitCode = 1;
