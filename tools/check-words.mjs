// npm run check -- words: texts that users read contain no word of the project's former vocabulary. Public names are exempt.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const OLD_WORDS = /\b(?:animals?|refus(?:e[sd]?|als?|ing)|told|answer(?:s|ed|ing)?|whoever|nobody)\b/i;

/** Public names and the user `nobody` of the operating system, which stay. */
const EXEMPT = [
  // The member and the columns with the number of rejected requests.
  /[`"']?\brefused\b[`"']?(?=\s*(?:[:?,`)]| bigint| from| >=))|\b(?:as|[ud]\.)\s?refused\b|^\s*- refused$/g,
  // The column with a stored response.
  /\banswer text\b|\bidempotency_keys\.answer\b/g,
  /\bpostgres or nobody\b/g,
];

/** Files of which every line is read by users or operators. */
const TEXTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  '.env.example',
  '.github',
  'client/README.md',
  'client/src',
  'docs/README.md',
  'docs/alerts.md',
  'docs/configuration.md',
  'docs/deployment.md',
  'docs/errors.md',
  'docs/openapi.yaml',
  'docs/operations.md',
  'docs/signals.md',
  'deploy/grafana',
  'deploy/prometheus',
  'prisma/migrations',
  'prisma/roles.sql',
  'src/openapi/page',
];

/** Of these files, users read the strings: error messages, command line, logs, metrics, the OpenAPI document. */
const SOURCES = ['src/**/*.ts'];

const listFiles = (patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !/\.spec\.ts$|\.svg$|\.png$/.test(file));

const found = [];

const oldWordIn = (text) =>
  OLD_WORDS.exec(EXEMPT.reduce((rest, name) => rest.replaceAll(name, ''), text))?.[0];

for (const file of listFiles(TEXTS)) {
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const word = oldWordIn(line);
    if (word !== undefined) found.push(`${file}:${index + 1}: "${word}" in: ${line.trim().slice(0, 120)}`);
  }
}

/** A name or SQL, which no user reads. */
const isInternal = (text) => !/\s/.test(text) || /\b(?:select|insert into|update|delete from)\s/.test(text);

for (const file of listFiles(SOURCES)) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      // Without the expressions in a template, which are code.
      const text = node
        .getText(source)
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '');
      const word = isInternal(text) ? undefined : oldWordIn(text);
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (word !== undefined) found.push(`${file}:${line + 1}: "${word}" in: ${text.slice(0, 120)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const line of found) console.error(line);
if (found.length > 0) process.exit(1);
console.log('no text for users contains a word of the former vocabulary');
