'use strict';

/** Which folders of src a folder may import from, besides itself. An arrow that is not here points the wrong way. */
const arrows = {
  config: [],
  common: ['config'],
  embedded: ['common'],
  prisma: ['embedded', 'common', 'config', 'generated'],
  batching: ['prisma', 'common'],
  auth: ['common'],
  throttling: ['auth', 'batching', 'prisma', 'common', 'config'],
  http: ['common', 'config'],
  idempotency: ['prisma', 'common'],
  pets: ['idempotency', 'batching', 'prisma', 'common'],
  store: ['idempotency', 'batching', 'prisma', 'common'],
  usage: ['auth', 'batching', 'prisma', 'common'],
  samples: ['prisma', 'generated', 'pets', 'store'],
  telemetry: ['throttling', 'http', 'batching', 'prisma', 'common', 'config'],
  management: ['telemetry', 'http', 'prisma', 'common', 'config'],
  lifecycle: [
    ...['management', 'telemetry', 'idempotency', 'samples', 'throttling', 'http', 'batching'],
    ...['prisma', 'embedded', 'common', 'config'],
  ],
  openapi: ['prisma', 'common'],
  cli: ['config', 'prisma', 'embedded', 'pets', 'lifecycle', 'common'],
};

/** The service, the command line, and what a browser loads first. */
const programs = ['^src/main\\.ts$', '^src/cli/main\\.ts$', '^src/openapi/page/main\\.js$'];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(arrows).map(([folder, targets]) => ({
      name: `arrows-of-${folder}`,
      comment: `src/${folder} may import only from ${targets.join(', ') || 'no other folder'}`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(?:${[folder, ...targets].join('|')})/` },
    })),
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
    },
    {
      name: 'no-dead-files',
      comment: 'no program reaches it',
      severity: 'error',
      from: { path: programs },
      to: { path: '^src/', pathNot: programs, reachable: false },
    },
    {
      name: 'production-needs-dependencies',
      comment: 'what src imports must be installed in production',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    // Tests may import everything, and Prisma writes the files behind its client.
    exclude: {
      path: ['\\.spec\\.ts$', '^src/.*\\.d\\.ts$', '/fixtures/', '^src/generated/prisma/(?!client\\.ts$)'],
    },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
