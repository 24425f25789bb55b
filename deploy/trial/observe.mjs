// npm run trial:observe: the profiles scale and observe on this machine, without containers. A real Prometheus with the alerts
// of deploy/prometheus/ asks three replicas and HAProxy while clients of every kind ask; then each expression of the dashboard
// must have an answer. It takes two minutes, and needs haproxy, pgbouncer and prometheus on the PATH.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { ask, constantLoad, shopRequest, tally } from './client.mjs';
import { issueKey } from './keys.mjs';
import { accepts, DEPLOY, freePorts, PATH, until, versionOf } from './programs.mjs';
import { startStack } from './stack.mjs';

/** Short, so that a rate has its samples within the trial. */
const SCRAPE_SECONDS = 2;
const TRAFFIC_SECONDS = 75;

const versions = {
  haproxy: versionOf('haproxy', '-v'),
  pgbouncer: versionOf('pgbouncer'),
  prometheus: versionOf('prometheus'),
};
const absent = Object.keys(versions).filter((name) => versions[name] === undefined);
if (absent.length > 0) {
  console.error(
    `The trial needs ${absent.join(' and ')} on the PATH (Debian: apt install ${absent.join(' ')}).`,
  );
  process.exit(1);
}

const stack = await startStack();
try {
  const prometheus = await startPrometheus();
  const answers = await everyKindOfTraffic();
  console.log(`${answers.length} requests: ${JSON.stringify(tally(answers))}\n`);
  const silent = await askEachPanel(prometheus);
  console.log(silent === 0 ? '\neach panel has an answer' : `\n${silent} expressions have no answer`);
  process.exitCode = silent === 0 ? 0 : 1;
} finally {
  await stack.database.end();
  await stack.close();
}

/** The same file with other targets: names are Docker's. */
async function startPrometheus() {
  const config = parse(readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8'));
  config.global = {
    scrape_interval: `${SCRAPE_SECONDS}s`,
    evaluation_interval: `${SCRAPE_SECONDS}s`,
    scrape_timeout: `${SCRAPE_SECONDS}s`,
  };
  config.rule_files = [join(DEPLOY, 'prometheus/alerts.yml')];
  for (const job of config.scrape_configs) {
    delete job.dns_sd_configs;
    job.static_configs = [{ targets: stack.targets[job.job_name] }];
  }
  const file = join(stack.directory, 'prometheus.yml');
  writeFileSync(file, stringify(config));
  const [port] = await freePorts(1);
  const program = stack.programs.start(
    'prometheus',
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(stack.directory, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { env: { PATH } },
  );
  await until('Prometheus accepts', () => accepts(port), program);
  return `http://127.0.0.1:${port}`;
}

/** Each metric is moved: lists, orders, limits, bans, strangers, a database that breaks and heals, a replica replaced. */
async function everyKindOfTraffic() {
  const { origin, database } = stack;
  const shop = await issueKey(database);
  const small = await issueKey(database, { perMinute: 30 });
  const others = ['/v1/pets/1', '/v1/store/orders', '/v1/usage', '/v1/nothing', '/openapi.json'];
  const loads = [
    constantLoad(60, (i) => shopRequest(origin, shop.key, i)),
    constantLoad(5, (i) => ask(origin, { key: shop.key, path: others[i % others.length] })),
    constantLoad(2, (i) =>
      ask(origin, { key: shop.key, method: 'POST', path: '/v1/store/orders', body: `{"petId":${1 + i}}` }),
    ),
    constantLoad(3, () => ask(origin, { key: small.key })),
    constantLoad(2, () => ask(origin, { key: 'psk_nobody' })),
  ];
  await delay((TRAFFIC_SECONDS * 1000) / 3);
  await stack.restartReplica('api-1');
  await delay((TRAFFIC_SECONDS * 1000) / 3);
  await stack.killPgBouncer();
  await stack.startPgBouncer();
  await delay((TRAFFIC_SECONDS * 1000) / 3);
  return (await Promise.all(loads.map((load) => load.stop()))).flat();
}

/** @returns the number of expressions without an answer */
async function askEachPanel(prometheus) {
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/dashboards/petstore.json'), 'utf8'));
  let silent = 0;
  for (const { type, title, targets = [] } of panels) {
    if (type === 'row') console.log(`${title}`);
    for (const { expr, legendFormat } of targets) {
      const query = expr.replaceAll('$__rate_interval', `${TRAFFIC_SECONDS}s`);
      const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`);
      const { status, error, data } = await answer.json();
      const series = data?.result ?? [];
      if (status !== 'success' || series.length === 0) silent += 1;
      console.log(
        `  ${title}: ${error ?? (series.map((one) => shown(one, legendFormat)).join(', ') || 'NOTHING')}`,
      );
    }
  }
  return silent;
}

function shown({ metric, value: [, value] }, legend) {
  const label = legend.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => metric[name] ?? '');
  return `${label} ${Number(Number(value).toPrecision(3))}`.trim();
}
