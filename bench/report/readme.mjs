// Keeps the table of the last full run in the README.
import { readFile, writeFile } from 'node:fs/promises';

const README = new URL('../README.md', import.meta.url);
const HEAD = '## The last table\n';

/** @param {string} table replaces everything below the head */
export async function writeIntoReadme(table) {
  const text = await readFile(README, 'utf8');
  const end = text.indexOf(HEAD);
  if (end === -1) throw new Error(`bench/README.md has no "${HEAD.trim()}"`);
  await writeFile(README, `${text.slice(0, end)}${HEAD}\n${table}`);
}
