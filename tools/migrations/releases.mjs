// Which migrations came with which release. `npm run release:record` writes what a release is into prisma/releases; what no
// record names is the next release.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The migrations below a folder, by the release that brought them, in the order in which they are applied. */
export function readReleases(migrationsFolder, releasesFolder) {
  const files = readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readMigration(migrationsFolder, name))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const records = readRecords(releasesFolder);
  const faults = records.flatMap(({ version, migrations }) =>
    migrations.flatMap((recorded) => faultOf(recorded, version, files)),
  );
  const known = new Set();
  const releases = [];
  for (const names of [...records.map(({ migrations }) => migrations.map(({ name }) => name)), undefined]) {
    const brought = files.filter(({ name }) => !known.has(name) && (names?.includes(name) ?? true));
    for (const { name } of brought) known.add(name);
    releases.push(brought);
  }
  return { releases, faults };
}

/** Later releases have all that earlier ones had. */
function readRecords(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((one, other) => one.migrations.length - other.migrations.length);
}

function readMigration(folder, name) {
  const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
  return { name, sql, checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex') };
}

function faultOf({ name, checksum }, version, files) {
  const file = files.find((one) => one.name === name);
  if (file?.checksum === checksum) return [];
  const message =
    file === undefined
      ? `it was released with ${version} and is gone: databases have applied it`
      : `it was edited after its release ${version}: databases have applied what it said then. Write another migration`;
  return [{ migration: name, line: 1, rule: 'released', message }];
}
