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
  maxWorkers: 2,
  // A safety net for what never ends: on a busy machine a test may take minutes.
  testTimeout: 300_000,
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**', '!src/main.ts'],
};
