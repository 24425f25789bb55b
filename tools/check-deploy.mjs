// npm run check -- deploy: validates the files of deploy/ with the programs that use them, if installed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

/** Debian installs servers outside some users' PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;

const read = (file) => readFileSync(file, 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'petstore-check-deploy-'));

/** Names that only Docker resolves become addresses. */
function haproxyEnvironment() {
  const { environment } = parse(read('docker-compose.yml'), { merge: true }).services.haproxy;
  const entries = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/^api-\d:/, '127.0.0.1:').replace(/^\$\{\w+:-(\w+)\}$/, '$1'),
  ]);
  return { ...Object.fromEntries(entries), HAPROXY_ERRORS: resolve('deploy/haproxy/errors') };
}

/** promtool reads rules: wrap each panel expression in one. */
function dashboardRules() {
  const { panels } = JSON.parse(read('deploy/grafana/dashboards/petstore.json'));
  const rules = panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }, i) => ({ record: `panel:${i}`, expr: expr.replaceAll('$__rate_interval', '1m') }));
  const file = join(directory, 'dashboard.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  return file;
}

const COMPOSE_FILES = [
  'docker-compose.yml',
  'deploy/dashboard.yml',
  'deploy/haproxy/tls.yml',
  'deploy/alertmanager/compose.yml',
  'deploy/logging/compose.yml',
].flatMap((file) => ['--file', file]);

const CALLS = [
  ['promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml']],
  ['promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml']],
  ['promtool', ['check', 'rules', dashboardRules()]],
  ['amtool', ['check-config', 'deploy/alertmanager/alertmanager.yml']],
  ['haproxy', ['-c', '-f', 'deploy/haproxy/haproxy.cfg'], haproxyEnvironment()],
  [
    'haproxy',
    ['-c', '-f', 'deploy/patroni/haproxy.cfg'],
    { HAPROXY_BIND: ':5432', PATRONI_NODE_1: '10.0.0.11', PATRONI_NODE_2: '10.0.0.12' },
  ],
  [
    'shellcheck',
    [
      ...['make-env.sh', 'build.sh', 'roll.sh', 'reload.sh', 'rotate.sh', 'certificate.sh'],
      ...['postgres/roles.sh', 'postgres/backup.sh', 'pgbouncer/start.sh'],
    ].map((name) => `deploy/${name}`),
  ],
  // Shell scripts with other line ends do not run.
  ['sh', ['-c', '! git ls-files --eol | grep -v eol=lf']],
  ['rsyslogd', ['-N1', '-f', 'deploy/logging/petstore.conf']],
  ['docker-compose', ['--profile', '*', ...COMPOSE_FILES, 'config', '--quiet']],
  ['docker-compose', ['--profile', '*', '--file', 'deploy/compose.image.yml', 'config', '--quiet']],
];

for (const [program, args, env = {}] of CALLS) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    env: { PATH, ...env },
    encoding: 'utf8',
  });
  if (error?.code === 'ENOENT') {
    console.log(`${program} is not installed`);
  } else if (status === 0) {
    console.log(`${program} ${args.join(' ')}: ok`);
  } else {
    console.error(`${program} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
    process.exitCode = 1;
  }
}
rmSync(directory, { recursive: true });
