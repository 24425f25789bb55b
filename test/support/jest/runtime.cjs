'use strict';
// Node.js loads packages and the built service, once for all test files of a worker; Jest loads the tests. To load everything anew
// costs each file that starts the service most of its time, and leaves all code cold.
const { createRequire, isBuiltin } = require('node:module');
const { dirname, join, resolve, sep } = require('node:path');
const { fileURLToPath } = require('node:url');
const { default: Runtime } = require('jest-runtime');

const load = createRequire(__filename);
const { urlOf } = load('./url-of.mjs');

const root = join(__dirname, '../../..');
const SRC = join(root, 'src') + sep;
const OF_JEST = new Set(['@jest/globals']);

/** The file that Node.js loads for a request of a test, or undefined if Jest does. */
function nativeFile(from, name) {
  if (isBuiltin(name) || OF_JEST.has(name)) return;
  if (!name.startsWith('.')) return fileURLToPath(urlOf(name));
  const path = resolve(dirname(from), name);
  if (path.endsWith('.mjs')) return path;
  if (!path.startsWith(SRC) || path.endsWith('.spec.js')) return;
  return join(root, 'dist', path.slice(SRC.length));
}

module.exports = class NativeRuntime extends Runtime {
  requireModule(from, name, options, isActual) {
    const file = name === undefined || options?.isInternalModule ? undefined : nativeFile(from, name);
    return file === undefined ? super.requireModule(from, name, options, isActual) : load(file);
  }
};
