// node tools/release-notes.mjs VERSION: what CHANGELOG.md says of a release, or of `Unreleased`. The tag of a release is `v` and its version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';
import { root } from './project.mjs';

const [, , name = ''] = argv;
const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## \[)/m);
const section = sections.find((text) => text.startsWith(`## [${name}]`));
if (section === undefined) {
  console.error(`CHANGELOG.md says nothing of ${name}.`);
  exit(1);
}
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = env;
const files = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/v${name}/`;
const text = section.slice(section.indexOf('\n')).trim();
// Links to other files and sections break in release notes.
const linked = text.replaceAll(/\]\((?!https?:)(#?)/g, (_, hash) => `](${files}${hash && 'CHANGELOG.md#'}`);
console.log(GITHUB_REPOSITORY === undefined ? text : linked);
