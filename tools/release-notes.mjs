// node tools/release-notes.mjs VERSION: what CHANGELOG.md says of a release, or of `Unreleased`. The tag of a release is `v` and its version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { root } from './project.mjs';

const [, , name = ''] = argv;
const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## \[)/m);
const section = sections.find((text) => text.startsWith(`## [${name}]`));
if (section === undefined) {
  console.error(`CHANGELOG.md says nothing of ${name}.`);
  exit(1);
}
console.log(section.slice(section.indexOf('\n')).trim());
