import { isUnchanged, MIGRATIONS_DIRECTORY, readMigrations } from '../../database/migration-files.js';
import { readRecords } from '../../database/migration-records.js';
import { type Check, fail, ok, warn } from './finding.js';

export const checkMigrations: Check['run'] = async ({ client }) => {
  const files = await readMigrations(MIGRATIONS_DIRECTORY);
  const records = new Map((await readRecords(client)).map((record) => [record.name, record]));
  const stuck = [...records.values()].find(({ state }) => state === 'failed');
  if (stuck !== undefined) {
    return fail(
      `${stuck.name} was begun and not finished: see what of it is there, then \`npm run prisma -- migrate resolve\` and \`petstore db migrate\`.`,
    );
  }
  const pending = files.filter(({ name }) => !records.has(name));
  if (pending.length > 0) {
    return fail(`${pending.length} of ${files.length} are not applied: run \`petstore db migrate\`.`);
  }
  const edited = files.find((file) => !isUnchanged(file, records.get(file.name)?.checksum ?? ''));
  if (edited !== undefined) {
    return warn(
      `${edited.name} was edited after it had been applied: restore the file, and write a new migration.`,
    );
  }
  const ahead = records.size - files.length;
  return ok(`${files.length} applied${ahead > 0 ? `, and ${ahead} of a newer release` : ''}`);
};
