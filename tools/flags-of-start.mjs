// The flags of Node.js that `npm start` starts the service with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

/** @returns {string[]} */
export const flagsOfStart = () =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? [];
