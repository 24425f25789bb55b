'use strict';

/** Which folders of src a folder may import from, besides itself. An arrow that is not here points the wrong way. */
const arrows = {
  errors: [],
  config: [],
  embedded: ['errors'],
  prisma: ['embedded', 'config', 'generated', 'errors'],
  batching: ['prisma', 'errors'],
  http: ['prisma', 'config', 'errors'],
  auth: ['http', 'errors'],
  throttling: ['auth', 'http', 'batching', 'prisma', 'config', 'errors'],
  idempotency: ['http', 'batching', 'prisma', 'errors'],
  pets: ['idempotency', 'http', 'batching', 'prisma', 'errors'],
  store: ['idempotency', 'http', 'batching', 'prisma', 'errors'],
  usage: ['http', 'auth', 'batching', 'prisma'],
  samples: ['prisma', 'generated', 'pets', 'store'],
  telemetry: ['throttling', 'http', 'batching', 'prisma', 'config', 'errors'],
  management: ['telemetry', 'http', 'prisma', 'config'],
  lifecycle: [
    ...['management', 'telemetry', 'idempotency', 'samples', 'throttling', 'http', 'batching'],
    ...['prisma', 'embedded', 'config'],
  ],
  openapi: ['http', 'errors'],
  cli: ['config', 'prisma', 'embedded', 'http', 'pets', 'lifecycle', 'errors'],
};

/** Which folders of src/http a folder may import from, besides itself and the files beside them all. */
const rooms = {
  input: [],
  sockets: ['input'],
  handlers: [],
  server: ['sockets', 'input'],
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
      comment: `src/${folder} may import from ${targets.join(', ') || 'nobody'} only`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(?:${[folder, ...targets].join('|')})/` },
    })),
    ...Object.entries(rooms).map(([room, targets]) => ({
      name: `rooms-of-http-${room}`,
      comment: `src/http/${room} may import from ${targets.join(', ') || 'no other room'} only`,
      severity: 'error',
      from: { path: `^src/http/${room}/` },
      to: { path: '^src/http/[^/]+/', pathNot: `^src/http/(?:${[room, ...targets].join('|')})/` },
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
    exclude: { path: ['\\.spec\\.ts$', '/fixtures/', '^src/generated/prisma/(?!client\\.ts$)'] },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
