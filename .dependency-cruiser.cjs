'use strict';

const { existsSync, readdirSync } = require('node:fs');

/** Folders like `pets`. One that may import more has a line of its own below. */
const resources = readdirSync('src').filter((name) => existsSync(`src/${name}/${name}.controller.ts`));

/** Which folders of src a folder may import from, besides itself. An arrow that is not here points the wrong way. */
const arrows = {
  generated: [],
  config: [],
  errors: [],
  pages: ['errors'],
  database: ['config', 'errors', 'generated'],
  batching: ['database', 'errors'],
  auth: ['batching', 'database', 'config', 'errors'],
  http: ['auth', 'database', 'config', 'errors'],
  resources: ['http', 'batching', 'database', 'errors'],
  ...Object.fromEntries(resources.map((name) => [name, ['resources', 'http', 'database']])),
  store: ['resources', 'http', 'batching', 'database', 'errors'],
  usage: ['http', 'auth', 'batching', 'database', 'config', 'errors'],
  openapi: ['resources', 'pages', 'http', 'auth', 'database', 'config', 'errors'],
  monitoring: ['pages', 'usage', 'http', 'auth', 'batching', 'database', 'config', 'errors'],
  lifecycle: ['monitoring', ...resources, 'store', 'http', 'batching', 'database', 'config', 'generated'],
  cli: ['lifecycle', 'monitoring', 'usage', 'auth', 'database', 'config', 'errors'],
};

/** The composition root. */
const root = '^src/(?:main|(?:app|observers)\\.module)\\.ts$';

/** The service, the command line, and what a browser loads first. Pages load what they share by the path at which it is served. */
const programs = [
  '^src/main\\.ts$',
  '^src/cli/main\\.ts$',
  '^src/pages/(?:docs/(?:main|scheme)|dashboard/main|shared/\\w+)\\.js$',
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
      name: 'folders-have-arrows',
      comment: 'a folder of src needs a line in the table of arrows',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: [root, `^src/(?:${Object.keys(arrows).join('|')})/`] },
    },
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
