import { availableParallelism, loadavg } from 'node:os';
import { argv } from 'node:process';

const isBusy = (loadavg()[0] ?? 0) > 3 * availableParallelism();

/** Packages and the build are loaded by Node.js, once for all files of a worker. */
const LOADED_ONCE = {
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  transform: { '^.+\\.ts$': '@swc/jest' },
};

/** Everything is loaded by Jest for each file, which can count only what it has loaded. */
const LOADED_FOR_COVERAGE = {
  testEnvironment: 'node',
  transform: {
    // Compiled as .swcrc says, but to CommonJS: Jest cannot load ES modules of Nest on every supported Node.js.
    '^.+\\.ts$': '@swc/jest',
    '/node_modules/.+\\.m?js$': '<rootDir>/test/support/jest/esm-to-cjs.cjs',
  },
  transformIgnorePatterns: [],
};

/** @type {import('jest').Config} */
export default {
  ...(argv.includes('--coverage') ? LOADED_FOR_COVERAGE : LOADED_ONCE),
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  injectGlobals: false,
  // One more than the cores of a small machine, because tests often wait for a time-out of the service; fewer on a busy one.
  maxWorkers: isBusy ? 2 : 3,
  // For what never happens. A test states an order of events, not a pace, and machines are busy: the longest take 20 s on a slow one.
  testTimeout: 60_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**', '!src/main.ts'],
};
