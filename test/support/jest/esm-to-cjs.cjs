'use strict';
// NestJS 12 ships ES modules only, and Jest can load those from CommonJS from Node 24.9 on. Compiling the ES
// modules of node_modules to CommonJS lets one configuration serve every Node from 20.19 on.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { createTransformer } = require('@swc/jest');

const swc = createTransformer({
  jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
  module: { type: 'commonjs' },
});

/** Whether the nearest package.json above a folder declares ES modules. */
const declaresModules = new Map();
function isModuleFolder(folder) {
  const known = declaresModules.get(folder);
  if (known !== undefined) return known;
  let isModule;
  try {
    isModule = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type === 'module';
  } catch {
    const parent = dirname(folder);
    isModule = parent !== folder && isModuleFolder(parent);
  }
  declaresModules.set(folder, isModule);
  return isModule;
}

const isModule = (file) => file.endsWith('.mjs') || (file.endsWith('.js') && isModuleFolder(dirname(file)));

module.exports = {
  canInstrument: false,
  getCacheKey: (source, file, options) => swc.getCacheKey(source, file, options),
  process: (source, file, options) =>
    isModule(file) ? swc.process(source, file, options) : { code: source },
};
