// npm run migration -- NAME: writes the next migration: the differences of prisma/sql from a migrated database.
// npm run check -- migrations: with --check, says what differs, and changes nothing. `--check URL` is for another database.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { argv } from 'node:process';
import pg from 'pg';
import { migrate } from '../dist/database/migrations.js';
import { root } from './project.mjs';
import { applySources, compare, inVain, readChecks, readDefinitions, readSources } from './schema.mjs';
import { openTemporaryDatabase } from './temporary-database.mjs';

const MIGRATIONS = join(root, 'prisma/migrations');
/** Statements above it are written manually and kept. */
const MARK = '-- From prisma/sql by "npm run migration". Changes below this line are lost.\n';

const [word = '', url] = argv.slice(2);
try {
  if (word === '--check') await check();
  else if (/^[a-z][a-z0-9_]*$/.test(word)) await write(word);
  else throw new Error('Give the migration a name in snake_case: npm run migration -- add_nick_to_pets');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function check() {
  const { changed, faults } = await onDatabase(url, (client) => compareWithFiles(client));
  const all = [...faults, ...changed.map(({ path }) => `${path}: differs from what the migrations make`)];
  if (all.length > 0)
    throw new Error(`${all.map(short).join('\n')}\nChange the files, then run "npm run migration -- NAME".`);
  console.log('prisma/sql is what the migrations make');
}

async function write(name) {
  const names = (await readdir(MIGRATIONS, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
  const misnamed = names.find((one) => !/^\d{14}_[a-z0-9_]+$/.test(one));
  if (misnamed !== undefined)
    throw new Error(`prisma/migrations/${misnamed}: name it by its time, YYYYMMDDHHMMSS_${name}.`);
  const folder = names.find((one) => one.slice(15) === name) ?? `${timeAfter(names.at(-1))}_${name}`;
  const file = join(MIGRATIONS, folder, 'migration.sql');
  if ((await readFile(join(MIGRATIONS, 'released.txt'), 'utf8')).includes(`${folder}/`))
    throw new Error(`${folder} is released and immutable: choose another name.`);
  for (const later of names.slice(names.indexOf(folder) + 1).filter(() => names.includes(folder))) {
    if ((await readFile(join(MIGRATIONS, later, 'migration.sql'), 'utf8')).includes(MARK))
      throw new Error(
        `${later} comes later and has a part of prisma/sql: run this with its name, or a new one.`,
      );
  }
  const [manual] = (await readFile(file, 'utf8').catch(() => '')).split(MARK);
  const shown = relative(root, file);
  const { changed, notes } = await beforeMigration(folder, (directory) =>
    onDatabase(undefined, (client) => changesAfter(client, { shown, manual }), directory),
  );
  if (changed.length === 0 && manual === '')
    throw new Error(`Nothing differs. Write statements on tables by hand to ${shown}, then run this again.`);
  const texts = changed.map(({ sql }) => `${sql.trim()}\n`);
  await mkdir(join(MIGRATIONS, folder), { recursive: true });
  await writeFile(file, `${manual}${texts.length === 0 ? '' : [MARK, ...texts].join('\n')}`);
  console.log([shown, ...changed.map(({ path }) => `  ${short(path)}`), ...notes].join('\n'));
}

/** The files that differ after the statements written by hand, in an order that works, as replacements of what is there. */
async function changesAfter(client, { shown, manual }) {
  const checks = await readChecks(client);
  await client.query(manual).catch((error) => {
    throw new Error(`${shown}: ${error.message}`, { cause: error });
  });
  const later = await readChecks(client);
  const { changed, faults, wanted } = await compareWithFiles(client);
  const isDone = (definitions, { object }) => definitions.get(object) === wanted.get(object);
  const comments = changed.map((source) => ({ ...source, sql: commentsOf(source.sql) }));
  const described = await definitionsWith(client, comments);
  const { applied, errors, definitions } = await definitionsWith(
    client,
    changed.map((source, nth) => (isDone(described.definitions, source) ? comments[nth] : source)),
  );
  const all = [
    ...faults,
    ...[...errors].map(([{ path }, message]) => `${path}: cannot be replaced: ${message}`),
    ...applied
      .filter((source) => !isDone(definitions, source))
      .map(({ path }) => `${path}: "create or replace" is not enough, e.g. for arguments or rights`),
  ];
  if (all.length === 0) return { changed: applied, notes: validatedBefore(checks, later, applied) };
  throw new Error(
    `${all.map(short).join('\n')}\nUse a new name, or write what is missing (drop, grant, comment … is null) by hand above the line "${MARK.trim()}".`,
  );
}

/** Existing rows may violate a check whose function changed. PostgreSQL does not revalidate them. */
function validatedBefore(checks, later, applied) {
  const isChanged = (called) => applied.some(({ object }) => object === `function ${called}`);
  return [...later].flatMap(([name, { definition, functions }]) =>
    (checks.get(name)?.definition ?? definition) === definition
      ? functions
          .filter(isChanged)
          .map((one) => `note: the check ${name} calls ${one}: existing rows may now violate it`)
      : [
          `note: the check ${name} is replaced: add it as "not valid", and validate it in a migration of its own`,
        ],
  );
}

/** Only the comments of a file: a function or view is not replaced if nothing else differs. */
function commentsOf(sql) {
  return (sql.match(/^comment on [^']*'(?:[^']|'')*';$/gm) ?? []).join('\n');
}

async function definitionsWith(client, sources) {
  return await inVain(client, async () => ({
    ...(await applySources(client, sources)),
    definitions: await readDefinitions(client),
  }));
}

async function compareWithFiles(client) {
  return await compare(client, await readSources());
}

function short(text) {
  return text.replaceAll(root, '');
}

/** The present time, or a second after the last migration if that is later, as in the names of migrations. */
function timeAfter(last) {
  const at = last?.replace(/^(....)(..)(..)(..)(..)(..).*/, '$1-$2-$3T$4:$5:$6Z');
  const time = new Date(Math.max(Date.now(), at === undefined ? 0 : Date.parse(at) + 1000));
  return time.toISOString().replaceAll(/\D/g, '').slice(0, 14);
}

/** With a copy of the migrations before one that may be unfinished. */
async function beforeMigration(folder, work) {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-migrations-'));
  const isBefore = (path) => dirname(path) !== MIGRATIONS || basename(path) < folder;
  try {
    await cp(MIGRATIONS, directory, { recursive: true, filter: isBefore });
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** On the given database as it is, or on a new one that is migrated. */
async function onDatabase(given, work, directory = MIGRATIONS) {
  const server = given === undefined ? await openTemporaryDatabase({ inMemory: true }) : undefined;
  const client = new pg.Client({ connectionString: given ?? server.url });
  try {
    if (server !== undefined) await migrate({ connectionString: server.url, directory });
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
    await server?.close();
  }
}
