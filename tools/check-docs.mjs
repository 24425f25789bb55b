// npm run check -- docs: links in the documents work, every variable, error code and dependency is documented, and lines are short.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ADMISSION_STATES } from '../dist/auth/admission/decision.js';
import { VARIABLE_NAMES } from '../dist/config/variables.js';
import { ERROR_CODES } from '../dist/errors/error-codes.js';
import { USAGE_OUTCOMES } from '../dist/usage/hour-counts.js';

const faults = [];
const read = (file) => readFileSync(file, 'utf8');

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

/** Headings as links name them. */
const anchorsOf = (file) =>
  new Set(
    [...read(file).matchAll(/^#+ +(.*)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

for (const document of documents) {
  const text = read(document).replaceAll(/^```.*?^```/gms, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path, anchor] = target.split('#');
    const file = path === '' ? document : join(dirname(document), path);
    if (!existsSync(file)) faults.push(`${document}: ${target} does not exist`);
    else if (anchor !== undefined && !anchorsOf(file).has(anchor)) {
      faults.push(`${document}: ${target} has no such heading`);
    }
  }
}

/** Longer lines cannot be read in a diff. The padding of tables does not count; docs/database.md is generated. */
const LINE_MAX = 250;
const RUNBOOKS = ['operations', 'deployment', 'backup', 'high-availability'].map((name) => `docs/${name}.md`);
/** A reader at night skips a longer paragraph. */
const PARAGRAPH_WORDS_MAX = 80;

for (const document of documents.filter((one) => one !== 'docs/database.md')) {
  for (const [index, line] of read(document).split('\n').entries()) {
    const { length } = line.replaceAll(/(?<=\S) {2,}/g, ' ').replaceAll(/-{4,}/g, '---');
    if (length > LINE_MAX) faults.push(`${document}:${index + 1}: the line has ${length} characters`);
  }
}
for (const document of RUNBOOKS) {
  for (const paragraph of read(document)
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .split(/\n\n|^(?:-|\d+\.) /m)) {
    const words = paragraph.match(/\S+/g) ?? [];
    if (!/^(?:\||<!--)/.test(paragraph) && words.length > PARAGRAPH_WORDS_MAX)
      faults.push(`${document}: a paragraph of ${words.length} words: ${words.slice(0, 8).join(' ')} …`);
  }
}

const packagesOf = (file) => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read(file));
  return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
};

const errors = read('docs/errors.md').replaceAll(/ +/g, ' ');
for (const { advice } of Object.values(ERROR_CODES))
  if (!errors.includes(`| ${advice} |`)) faults.push(`docs/errors.md: "${advice}" is missing`);

/** The names in the code that documents must contain. */
const named = [
  {
    in: 'docs/configuration.md',
    what: 'variable',
    names: VARIABLE_NAMES,
  },
  {
    in: 'docs/architecture.md',
    what: 'folder',
    names: readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'generated')
      .map(({ name }) => name),
  },
  {
    in: 'docs/glossary.md',
    what: 'outcome',
    names: [...USAGE_OUTCOMES, ...ADMISSION_STATES],
  },
  {
    in: 'docs/errors.md',
    what: 'error code',
    names: Object.keys(ERROR_CODES),
  },
  {
    in: 'docs/dependencies.md',
    what: 'dependency',
    names: ['package.json', 'tools/package.json', 'bench/package.json'].flatMap(packagesOf),
  },
];
for (const { in: document, what, names } of named) {
  const text = existsSync(document) ? read(document) : '';
  for (const name of names) {
    if (!text.includes(`\`${name}\``)) faults.push(`${document}: the ${what} ${name} is missing`);
  }
}

const packages = new Set(named.at(-1).names);
for (const [, cell] of read('docs/dependencies.md').matchAll(/^\| (`[^|]*`) +\|/gm)) {
  for (const [, name] of cell.matchAll(/`([^`]+)`/g)) {
    if (!packages.has(name)) faults.push(`docs/dependencies.md: ${name} is not a dependency`);
  }
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(`${documents.length} documents: links, variables and error codes agree with the code`);
