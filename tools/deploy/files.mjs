// The files of deployment, read once and in one way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../project.mjs';

export const read = (file) => readFileSync(join(root, file), 'utf8');

/** The documents of a YAML file; a fault of its syntax, also a repeated key, is thrown with the file's name. */
export function readYaml(file) {
  return parseAllDocuments(read(file), { merge: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0].message}`);
    return document.toJS();
  });
}

/** The variables that the service knows. */
export function documentedVariables() {
  return new Set([...read('docs/configuration.md').matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name));
}
