import { availableParallelism, loadavg } from 'node:os';

const isBusy = (loadavg()[0] ?? 0) > 3 * availableParallelism();

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    // Compiled as .swcrc says, but to CommonJS: Jest cannot load ES modules of Nest on every supported Node.js.
    '^.+\\.ts$': '@swc/jest',
    '/node_modules/.+\\.m?js$': '<rootDir>/test/support/esm-to-cjs.cjs',
  },
  transformIgnorePatterns: [],
  // One more than the cores of a small machine, because tests often wait for a time-out of the service; fewer on a busy one.
  maxWorkers: isBusy ? 2 : 3,
  // For what never happens. A test states an order of events, not a pace, and machines are busy.
  testTimeout: 300_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**', '!src/main.ts'],
};
