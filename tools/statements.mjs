// npm run docs: writes docs/statements.sql, the SQL that the service sends. `npm run check -- docs` fails if it is out of date.
import { readFile, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import '../dist/app.module.js';
import { statementsOf } from '../dist/database/statement.js';

const FILE = 'docs/statements.sql';

/** Without the indentation of the source. */
const plain = (text) => {
  const lines = text.replace(/^\n/, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n');
};

const statements = [...statementsOf('main'), ...statementsOf('admission')];
const text = [
  '-- The statements of the service, under their names in pg_stat_statements, metrics and traces. Written by "npm run docs".\n',
  ...statements
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((statement) => `-- ${statement.name}\n${plain(statement.text).trimEnd()};\n`),
].join('\n');

if (!argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  console.error(`${FILE} is out of date: run "npm run docs"`);
  process.exitCode = 1;
} else {
  console.log(`${FILE} is what the service sends`);
}
