// deploy/prometheus/ and deploy/grafana/: expressions use metrics that exist, each alert is documented and tested.
import { read, readYaml } from './files.mjs';
import { serviceMetricNames } from './service-metrics.mjs';

const ALERTS = 'deploy/prometheus/alerts.yml';
const DASHBOARD = 'deploy/grafana/dashboards/petstore.json';

/** What is not the service's own: Prometheus makes `up`, and HAProxy's exporter the rest. */
const OF_OTHERS = new Set([
  'up',
  'haproxy_backend_active_servers',
  'haproxy_backend_current_queue',
  'haproxy_backend_redispatch_warnings_total',
  'haproxy_backend_retry_warnings_total',
  'haproxy_server_http_responses_total',
]);

export async function checkMonitoring({ fault, tell }) {
  const [{ groups }] = readYaml(ALERTS);
  const alerts = groups.flatMap(({ rules }) => rules);
  const dashboard = JSON.parse(read(DASHBOARD));
  const names = await serviceMetricNames();

  const expressions = [
    ...alerts.map(({ alert, expr }) => ({ at: `${ALERTS}: ${alert}`, expr })),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ at: `${DASHBOARD}: "${title}"`, expr })),
    ),
  ];
  const used = new Set();
  for (const { at, expr } of expressions) {
    for (const name of metricsIn(expr)) {
      used.add(name);
      if (!names.has(name) && !OF_OTHERS.has(name)) fault(`${at}: nobody exports ${name}`);
    }
  }
  for (const name of OF_OTHERS) {
    if (!used.has(name)) fault(`tools/deploy/monitoring.mjs: ${name} is not used`);
  }

  checkAlerts(alerts, fault);
  checkDashboard(dashboard, fault);
  checkMemory(alerts, fault);
  checkTargets(fault);
  tell(`${alerts.length} alerts, ${expressions.length} expressions, ${used.size} metrics that exist`);
}

/** Names of metrics: words that are no function, no label, no keyword and no duration. */
function metricsIn(expr) {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .replaceAll(/\[[^\]]*\]/g, '');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*(?!\w|\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => name.includes('_') || name === 'up');
}

function checkAlerts(alerts, fault) {
  const documented = read('docs/alerts.md');
  const tested = read('deploy/prometheus/alerts.test.yml');
  for (const { alert, labels, annotations } of alerts) {
    const row = documented.split('\n').find((line) => line.startsWith(`| \`${alert}\``));
    if (row === undefined) fault(`docs/alerts.md: ${alert} has no row`);
    else {
      const [level, ...texts] = row
        .split('|')
        .slice(2, -1)
        .map((cell) => cell.trim());
      if (level !== labels.severity) fault(`docs/alerts.md: ${alert} is ${labels.severity}`);
      if (texts.length !== 3 || texts.some((text) => text === ''))
        fault(`docs/alerts.md: ${alert} says too little`);
    }
    if (annotations.summary === undefined || annotations.runbook !== 'docs/alerts.md') {
      fault(`${ALERTS}: ${alert} needs a summary and its runbook`);
    }
    if (!new RegExp(`alertname: ${alert}\\b`).test(tested)) {
      fault(`deploy/prometheus/alerts.test.yml: ${alert} is not seen to fire`);
    }
  }
  for (const [, name] of documented.matchAll(/^\| `(Petstore\w+)`/gm)) {
    if (!alerts.some(({ alert }) => alert === name)) fault(`docs/alerts.md: ${name} is no alert`);
  }
}

function checkDashboard({ uid, panels }, fault) {
  const [source] = readYaml('deploy/grafana/provisioning/datasources/prometheus.yml')[0].datasources;
  const ids = new Set();
  for (const { id, type, title, datasource, targets = [] } of panels) {
    if (ids.has(id)) fault(`${DASHBOARD}: the panel ${id} is there twice`);
    ids.add(id);
    if (type === 'row') continue;
    if (datasource.uid !== source.uid) fault(`${DASHBOARD}: "${title}" asks another data source`);
    if (targets.length === 0) fault(`${DASHBOARD}: "${title}" asks nothing`);
  }
  if (uid === undefined) fault(`${DASHBOARD}: without a uid its address changes`);
}

/** The alert of memory goes by the limit that the containers have. */
function checkMemory(alerts, fault) {
  const { expr } = alerts.find(({ alert }) => alert === 'PetstoreMemoryNearLimit');
  const mebibytes = /\* (\d+) \* 1024 \* 1024/.exec(expr)?.[1];
  const { api } = readYaml('docker-compose.yml')[0].services;
  if (api.deploy.resources.limits.memory !== `${mebibytes}M`)
    fault(`${ALERTS}: the limit of memory is another one`);
}

/** What Prometheus asks is there, and is met by it on one network alone: two addresses would be two targets. */
function checkTargets(fault) {
  const file = 'deploy/prometheus/prometheus.yml';
  const [{ services }] = readYaml('docker-compose.yml');
  for (const { job_name: job, dns_sd_configs: configs } of readYaml(file)[0].scrape_configs) {
    for (const name of configs.flatMap(({ names }) => names)) {
      const shared = services[name]?.networks.filter((one) => services.prometheus.networks.includes(one));
      if (shared?.length !== 1) fault(`${file}: ${job}: ${name} must be met on one network`);
    }
  }
}
