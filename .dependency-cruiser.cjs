'use strict';

/** Which folders of src a folder may import from, besides itself. An arrow that is not here points the wrong way. */
const arrows = {
  config: [],
  common: [],
  embedded: ['common'],
  database: ['common', 'config'],
  prisma: ['embedded', 'database', 'common', 'config', 'generated'],
  batching: ['prisma', 'database', 'common'],
  auth: ['common'],
  throttling: ['auth', 'batching', 'prisma', 'database', 'common', 'config'],
  http: ['throttling', 'auth', 'common', 'config'],
  idempotency: ['prisma', 'database', 'common'],
  pets: ['idempotency', 'http', 'batching', 'prisma', 'database', 'common'],
  store: ['idempotency', 'http', 'batching', 'prisma', 'database', 'common'],
  usage: ['telemetry', 'http', 'throttling', 'batching', 'prisma', 'database', 'common', 'config'],
  openapi: ['prisma', 'database', 'common'],
  telemetry: ['http', 'throttling', 'auth', 'batching', 'common', 'config'],
  dashboard: ['usage', 'database', 'common', 'config'],
  management: ['dashboard', 'telemetry', 'database', 'common', 'config'],
  samples: ['pets', 'store', 'generated'],
  lifecycle: [
    'management',
    'usage',
    'telemetry',
    'samples',
    'http',
    'batching',
    'prisma',
    'database',
    'embedded',
    'common',
    'config',
  ],
  cli: ['lifecycle', 'usage', 'embedded', 'database', 'common', 'config'],
};

/** The service, the command line, and what a browser loads first. */
const programs = [
  '^src/main\\.ts$',
  '^src/cli/main\\.ts$',
  '^src/(?:openapi|dashboard)/page/(?:main|scheme)\\.js$',
];

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
      comment: `src/${folder} may import only from ${targets.join(', ') || 'nothing'}`,
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
