// npm run check -- migrations, after squawk: released migrations were neither edited nor removed. prisma/releases has their
// checksums (npm run release:record). Other folders may be named: migrations, and the records of releases.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

const [migrations = join(root, 'prisma/migrations'), releases = join(root, 'prisma/releases')] =
  process.argv.slice(2);

const records = existsSync(releases) ? readdirSync(releases).filter((name) => name.endsWith('.json')) : [];
const errors = records.flatMap((record) => {
  const release = JSON.parse(readFileSync(join(releases, record), 'utf8'));
  return release.migrations.flatMap(({ name, checksum }) => errorOf(name, checksum, release.version));
});
for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log(`${records.length} releases: their migrations are unchanged`);

function errorOf(name, recorded, version) {
  const file = join(migrations, name, 'migration.sql');
  if (!existsSync(file))
    return [`${name} was released with ${version} and is missing: databases have applied it`];
  const sql = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  if (createHash('sha256').update(sql).digest('hex') === recorded) return [];
  return [`${name} was edited after release ${version}: restore it, and write the change as a new migration`];
}
