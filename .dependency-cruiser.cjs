'use strict';

/** Which folders of src a folder may import from, besides itself. An arrow that is not here points the wrong way. */
const arrows = {
  database: ['config', 'generated'],
  http: ['database', 'config'],
  config: [],
  auth: ['http', 'database'],
  throttling: ['auth', 'http', 'database', 'config'],
  idempotency: ['http', 'database'],
  pets: ['idempotency', 'http', 'database'],
  store: ['idempotency', 'http', 'database'],
  usage: ['http', 'auth', 'database'],
  operations: ['config', 'database', 'http', 'auth', 'pets', 'store'],
  openapi: ['http'],
  cli: ['config', 'database', 'http', 'pets', 'operations'],
};

/** Which rooms of src/http a room may import from, besides itself and the files that lie beside them all. */
const rooms = {
  answer: [],
  'client-address': [],
  errors: [],
  handlers: [],
  ports: [],
  deprecation: ['errors', 'handlers'],
  input: ['errors'],
  paging: ['errors', 'input'],
  sockets: ['answer', 'client-address', 'errors', 'input', 'ports'],
  edge: ['answer', 'deprecation', 'errors', 'input', 'sockets'],
};

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(arrows).map(([folder, targets]) => ({
      name: `arrows-of-${folder}`,
      comment: `src/${folder} may import from ${targets.join(', ') || 'nobody'} only`,
      severity: 'error',
      from: { path: `^src/${folder}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: `^src/(?:${[folder, ...targets].join('|')})/` },
    })),
    ...Object.entries(rooms).map(([room, targets]) => ({
      name: `rooms-of-http-${room}`,
      comment: `src/http/${room} may import from ${targets.join(', ') || 'no other room'} only`,
      severity: 'error',
      from: { path: `^src/http/${room}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/http/[^/]+/', pathNot: `^src/http/(?:${[room, ...targets].join('|')})/` },
    })),
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: '^src/generated/',
      },
      to: {},
    },
    {
      name: 'production-needs-dependencies',
      comment: 'what src imports must be installed in production',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$|^src/generated/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
