#!/usr/bin/env node
import { loadConfig } from '../config/config.js';
import { explainStartError } from '../operations/start-error.js';
import { createProgram } from './program.js';

try {
  await createProgram({
    config: () => loadConfig(process.env),
    print: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
  }).parseAsync(process.argv);
} catch (error) {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exitCode = 1;
}
