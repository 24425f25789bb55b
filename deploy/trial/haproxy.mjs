// HAProxy with the files of deploy/haproxy/ and the variables that docker-compose.yml gives it.
import { join } from 'node:path';
import { accepts, DEPLOY, PATH, until } from './programs.mjs';

export async function startHaproxy({ programs, compose, ports }) {
  const env = {
    ...compose.services.haproxy.environment,
    PATH,
    HAPROXY_BIND: `127.0.0.1:${ports.haproxy}`,
    HAPROXY_METRICS_BIND: `127.0.0.1:${ports.haproxyMetrics}`,
    HAPROXY_ERRORS: join(DEPLOY, 'haproxy/errors'),
  };
  [...ports.replicas.values()].forEach(({ public: port, management }, i) => {
    env[`HAPROXY_API_${i + 1}`] = `127.0.0.1:${port}`;
    env[`HAPROXY_API_${i + 1}_MANAGEMENT_PORT`] = String(management);
  });
  const program = programs.start('haproxy', 'haproxy', ['-f', join(DEPLOY, 'haproxy/haproxy.cfg')], { env });
  await until('HAProxy accepts', () => accepts(ports.haproxy), program);
}

/** Whether it sends requests to a replica. */
export async function isUpAtHaproxy(ports, name) {
  const metrics = await (await fetch(`http://127.0.0.1:${ports.haproxyMetrics}/metrics`)).text();
  return metrics.includes(`haproxy_server_status{proxy="api",server="${name}",state="UP"} 1`);
}
