// The programs that read the files of deployment, where they are installed: nobody knows better whether they can be read.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../project.mjs';
import { read, readYaml } from './files.mjs';

/** Where Debian puts servers. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const TIMEOUT_MS = 60_000;
/** Debian's number of nobody, and everybody's. */
const NOBODY = 65_534;

const succeeds = (code) => code === 0;

/** Asked as ourselves: to another user, who may not look into every folder of the PATH, an absent program is a forbidden one. */
const isThere = (program) => spawnSync(program, ['--version'], { env: { PATH } }).error?.code !== 'ENOENT';

/** Docker without its plugin takes `compose` for a word of its own. */
const hasNoCompose = (output) => /unknown flag: --profile|'compose' is not a docker command/.test(output);

export function checkWithPrograms({ fault, tell }) {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-check-deploy-'));
  try {
    const absent = [];
    for (const { program, what, args, env = {}, options = {}, passes = succeeds } of calls(directory)) {
      if (!isThere(program)) {
        absent.push(program);
        continue;
      }
      const { error, status, stdout, stderr } = spawnSync(program, args, {
        cwd: root,
        env: { PATH, ...env },
        encoding: 'utf8',
        timeout: TIMEOUT_MS,
        ...options,
      });
      const output = `${stdout ?? ''}${stderr ?? ''}`;
      if (hasNoCompose(output)) absent.push(`${program} ${args[0]}`);
      else if (passes(status, output)) tell(`${program}: ${what}`);
      else fault(`${program}: ${what}: ${output.trim() || error?.message}`);
    }
    if (absent.length > 0) tell(`not installed, so not asked: ${[...new Set(absent)].join(', ')}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function calls(directory) {
  const shell = [
    'deploy/make-env.sh',
    'deploy/roll.sh',
    'deploy/postgres/roles.sh',
    'deploy/pgbouncer/start.sh',
  ];
  return [
    {
      program: 'promtool',
      what: 'the configuration and the alerts',
      args: ['check', 'config', 'deploy/prometheus/prometheus.yml'],
    },
    {
      program: 'promtool',
      what: 'the tests of the alerts',
      args: ['test', 'rules', 'deploy/prometheus/alerts.test.yml'],
    },
    {
      program: 'promtool',
      what: "the dashboard's expressions",
      args: ['check', 'rules', writeDashboardRules(directory)],
    },
    {
      program: 'haproxy',
      what: 'the configuration',
      args: ['-c', '-f', 'deploy/haproxy/haproxy.cfg'],
      env: haproxyEnvironment(),
    },
    pgbouncerCall(directory),
    { program: 'shellcheck', what: 'the scripts', args: shell },
    ...[
      { program: 'docker', args: ['compose'] },
      { program: 'docker-compose', args: [] },
    ].map(({ program, args }) => ({
      program,
      what: 'compose config',
      args: [...args, '--profile', '*', 'config', '--quiet'],
      // Docker looks for its plugins at home.
      env: { ...everyVariable(), HOME: process.env.HOME ?? '/' },
    })),
  ];
}

/** It cannot be told to check only: it starts on a socket in the directory, says that it is up, and is ended. */
function pgbouncerCall(directory) {
  const isRoot = process.getuid?.() === 0;
  const file = join(directory, 'pgbouncer.ini');
  const settings = read('deploy/pgbouncer/settings.ini');
  const clientsMax = /^max_client_conn = (\d+)$/m.exec(settings)?.[1];
  const users = writeReadable(directory, 'userlist.txt', '"petstore_api" "checked"');
  const included = writeReadable(directory, 'settings.ini', settings);
  const main = read('deploy/pgbouncer/pgbouncer.ini')
    .replace('/etc/pgbouncer/settings.ini', included)
    .replace(/^listen_addr.*$/m, `listen_addr =\nauth_file = ${users}\nunix_socket_dir = ${directory}`)
    // Since 1.21; whether this one is older is not what is checked.
    .replace(/^max_prepared_statements.*$/m, '');
  writeReadable(directory, 'pgbouncer.ini', main);
  // It refuses to run as root.
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  return {
    program: 'pgbouncer',
    what: 'the settings',
    args: [file],
    options: { timeout: 1000, ...(isRoot && { uid: NOBODY, gid: NOBODY }) },
    // That what is included holds is seen in the one setting that it tells.
    passes: (_, output) =>
      output.includes('process up') &&
      output.includes(`max_client_conn: ${clientsMax},`) &&
      !/ERROR|FATAL|WARNING/.test(output),
  };
}

function writeReadable(directory, name, text) {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

/** What the compose file gives HAProxy; names that only Docker knows become addresses. */
function haproxyEnvironment() {
  const [{ services }] = readYaml('docker-compose.yml');
  const entries = Object.entries(services.haproxy.environment).map(([name, value]) => [
    name,
    value.replace(/^api-\d:/, '127.0.0.1:'),
  ]);
  return { ...Object.fromEntries(entries), HAPROXY_ERRORS: join(root, 'deploy/haproxy/errors') };
}

/** promtool reads rules, and a panel's expression is one without a name. */
function writeDashboardRules(directory) {
  const { panels } = JSON.parse(read('deploy/grafana/dashboards/petstore.json'));
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = expressions.map((expr, i) => ({
    record: `panel:${i}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  const file = join(directory, 'dashboard.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  return file;
}

function everyVariable() {
  const names = read('.env.example').matchAll(/^([A-Z_]+)=/gm);
  return Object.fromEntries([...names].map(([, name]) => [name, 'checked']));
}
