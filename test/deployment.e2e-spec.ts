import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../src/config/config.js';
import { SESSION_SETTINGS } from '../src/database/session-settings.js';
import { type RunningService, runService } from './support/running-service.js';

const read = (file: string): string => readFileSync(file, 'utf8');

/** The connections that deploy/postgres/roles.sh leaves a login of the service. */
const loginLimitOf = (maxConnections: number): number => maxConnections - 3 - 20;

/** The documents of a YAML file. A syntax error or a repeated key is thrown. */
function readYaml(file: string): readonly unknown[] {
  return parseAllDocuments(read(file), { merge: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`);
    return document.toJS() as unknown;
  });
}

/** The variables that the service knows. */
const VARIABLES = [...read('docs/configuration.md').matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);

interface ComposeService {
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: { readonly resources: { readonly limits: { readonly memory: string } } };
  readonly networks?: readonly string[];
  readonly stop_grace_period?: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const [compose] = readYaml('docker-compose.yml') as [ComposeFile];
const services = Object.entries(compose.services);
const [ofImages] = readYaml('deploy/compose.image.yml') as [ComposeFile];

/** It, and those that COMPOSE_FILE in .env may add. */
const COMPOSE_FILES = [
  'docker-compose.yml',
  ...['dashboard', 'haproxy/tls', 'alertmanager/compose', 'logging/compose'].map(
    (name) => `deploy/${name}.yml`,
  ),
];

describe('the version', () => {
  it('is the same in all files that name it', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const manifests = ['audit-export.example', 'migrate', 'overlay.example', 'petstore'].map(
      (name) => `deploy/kubernetes/${name}.yaml`,
    );
    const files = ['.env.example', 'docker-compose.yml', 'deploy/compose.image.yml', 'docs/deployment.md'];
    for (const file of [...files, ...manifests]) {
      const named = [
        ...read(file).matchAll(
          /(?:petstore(?:-files)?:|VERSION=|VERSION:-|newTag: |refs\/tags\/v)(\d+\.[\w.-]+)/g,
        ),
      ];
      expect([file, new Set(named.map(([, one]) => one))]).toEqual([file, new Set([version])]);
    }
  });
});

const withImages = Object.entries(ofImages.services).map(
  ([name, service]) => [`${name} of deploy/compose.image.yml`, service] as const,
);

describe('docker-compose.yml', () => {
  it.each([...services, ...withImages])('restricts and bounds %s', (_name, service) => {
    expect(service).toMatchObject({
      image: expect.stringMatching(/:(?!latest$)[^:/]+$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: expect.arrayContaining(['no-new-privileges:true']),
      restart: expect.any(String),
      logging: { options: { 'max-size': expect.any(String) } },
      deploy: { resources: { limits: { memory: expect.any(String), cpus: expect.any(String) } } },
    });
  });

  it.each(services)('has the passwords of %s in files that are mounted', (_name, service) => {
    const { environment = {}, secrets = [] } = service;
    for (const [name, value] of Object.entries(environment)) {
      expect(value.replaceAll(/\$\{\w+:-(\w*)\}/g, '$1')).not.toMatch(/:\/\/[^@/]*:[^@/]*@/);
      if (!/PASSWORD|SECRET|TOKEN/.test(name)) continue;
      const [, secret = ''] = /^\/run\/secrets\/?(?:\$\{\w+:-)?(\w*)\}?$/.exec(value) ?? [];
      expect([name, value, secrets]).toEqual([name, value, expect.arrayContaining(secret ? [secret] : [])]);
    }
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
  });

  it('mounts the files that make-env.sh writes', () => {
    const written = [...read('deploy/make-env.sh').matchAll(/^(\w+) [A-Z_0-9]+_PASSWORD$/gm)];
    const mounted = Object.entries(compose.secrets).map(([name, { file }]) => [name, file]);
    expect(mounted).toEqual(written.map(([, name]) => [name, `./secrets/${name}`]));
  });

  it('gives the service variables that it knows, and time to stop', () => {
    for (const [name, { environment = {}, stop_grace_period: grace = '' }] of services) {
      if (!/^(?:api|api-\d|petstore|migrate)$/.test(name)) continue;
      expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(environment)));
      const { DRAIN_GRACE_MS: drainMs, SHUTDOWN_TIMEOUT_MS: timeoutMs } = environment;
      if (drainMs !== undefined) {
        expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(Number(drainMs) + Number(timeoutMs));
      }
    }
  });

  it('has the management port listen beyond its container, like the image and Kubernetes', () => {
    expect(compose.services['api']?.environment?.['MANAGEMENT_HOST']).toBe('0.0.0.0');
    expect(read('Dockerfile')).toMatch(/^ENV .*MANAGEMENT_HOST=0\.0\.0\.0$/m);
    expect(environment['MANAGEMENT_HOST']).toBe('0.0.0.0');
  });

  it('makes containers read checkout files only from images, because a umask may make them unreadable', () => {
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes).filter((one) => /^[./~]/.test(one));
    expect(mounted).toEqual([]);
    for (const file of ['deploy/Dockerfile', 'deploy/pgbouncer/Dockerfile', 'Dockerfile'])
      expect(read(file)).toMatch(/^RUN chmod -R u=rwX,go=rX /m);
  });

  it('waits only for services that exist', () => {
    const names = services.map(([name]) => name);
    for (const [, { depends_on: needed = {} }] of services) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(needed)));
    }
  });

  it('takes the variables that .env.example names, which contains no secret', () => {
    const uncommented = COMPOSE_FILES.map(read)
      .join('\n')
      .replaceAll(/^\s*#.*$/gm, '');
    const taken = new Set([...uncommented.matchAll(/\$\{(?!COMPOSE_)(\w+)/g)].map(([, name]) => name));
    const lines = [...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)];
    const named = lines.map(([, name = '']) => name).filter((name) => !name.startsWith('COMPOSE_'));
    expect(new Set(named)).toEqual(taken);
    expect(named.filter((name) => /PASSWORD|TOKEN/.test(name))).toEqual([]);
  });
});

interface KubernetesObject {
  readonly kind: string;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly jobTemplate?: Pick<KubernetesObject, 'spec'>;
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          {
            readonly env?: readonly { readonly name: string }[];
            readonly ports?: readonly { readonly name: string }[];
            readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
          },
        ];
        readonly volumes?: readonly { readonly name: string; readonly configMap?: object }[];
      };
    };
  };
}

interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: object };
    readonly ingress: readonly {
      readonly from: object[];
      readonly ports: readonly { readonly port: string }[];
    }[];
  };
}

interface Cluster {
  readonly spec: {
    readonly instances: number;
    readonly bootstrap: { readonly initdb: object };
    readonly postgresql: {
      readonly synchronous: object;
      readonly parameters: { readonly max_connections: string };
    };
  };
}

interface Base {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly envs: readonly string[] }[];
}

interface Overlay {
  readonly replacements: readonly { readonly path: string }[];
}

interface Replacement {
  readonly source: { readonly kind: string; readonly name: string };
  readonly targets: readonly object[];
}

interface PodMonitor {
  readonly spec: {
    readonly jobLabel: string;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly object[];
  };
}

const objects: readonly KubernetesObject[] = ['petstore', 'migrate', 'secret.example', 'audit-export.example']
  .flatMap((file) => readYaml(`deploy/kubernetes/${file}.yaml`) as KubernetesObject[])
  // The pods of a CronJob are those of its jobs.
  .map((object) => Object.assign(object, object.spec?.jobTemplate));
/** The configuration of the pods. */
const environment = Object.fromEntries(
  [...read('deploy/kubernetes/petstore.env').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
) as Readonly<Record<string, string>>;
const probe = (path: string): object => ({ httpGet: { path, port: 'management' } });
const ofKind = (kind: string): KubernetesObject =>
  objects.find((object) => object.kind === kind) as KubernetesObject;

describe('deploy/compose.image.yml', () => {
  it('has services of docker-compose.yml, with images alone, and all of the secrets that they name', () => {
    for (const [name, service] of Object.entries(ofImages.services)) {
      const { image, ...former } = compose.services[name] as ComposeService;
      expect(service).not.toHaveProperty('build');
      expect(Object.keys({ ...former, image })).toEqual(expect.arrayContaining(Object.keys(service)));
      expect(service.networks).not.toContain('metrics');
      for (const secret of service.secrets ?? [])
        expect(ofImages.secrets[secret]).toEqual(compose.secrets[secret]);
    }
  });
});

describe('deploy/kubernetes', () => {
  it('sets variables that the service knows', () => {
    const named = [...Object.keys(environment), 'DATABASE_URL'].concat(
      objects.flatMap(({ spec }) =>
        (spec?.template?.spec.containers ?? []).flatMap(({ env = [] }) => env.map(({ name }) => name)),
      ),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(VARIABLES).toEqual(expect.arrayContaining(named));
    const secrets = objects.flatMap(({ stringData = {} }) => Object.entries(stringData));
    expect(secrets.map(([name]) => name)).toEqual(['DATABASE_URL', 'username', 'password', 'DATABASE_URL']);
    for (const [name, value] of secrets)
      expect(value).toMatch(name === 'username' ? /^petstore_owner$/ : /CHANGE_ME/);
  });

  it.each(['Deployment', 'Job', 'CronJob'])('restricts the pods of the %s', (kind) => {
    expect(ofKind(kind).spec.template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          image: expect.stringMatching(/:(?!latest$)[^:/]+$/),
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { requests: expect.any(Object), limits: { memory: expect.any(String) } },
        },
      ],
    });
  });

  it('trusts the header of one proxy, never entries from clients or other pods', () => {
    const { TRUST_PROXY: text = '' } = environment;
    expect(loadConfig({ TRUST_PROXY: text }).trustProxy).toEqual({ hops: 1 });
  });

  it('is scraped as the job that alerts select, at the interval they expect', () => {
    const { template } = ofKind('Deployment').spec;
    const monitor = readYaml('deploy/kubernetes/podmonitor.yaml')[0] as PodMonitor;
    const labels: Readonly<Record<string, string>> = { ...template.metadata.labels };
    const name = labels['app.kubernetes.io/name'] ?? '';
    const component = labels['app.kubernetes.io/component'] ?? '';
    expect(monitor.spec.jobLabel).toBe('app.kubernetes.io/name');
    expect(template.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(monitor.spec.podMetricsEndpoints).toEqual([
      { port: 'management', path: '/metrics', interval: '15s' },
    ]);
    const [{ scrape_configs: jobs }] = readYaml('deploy/prometheus/kubernetes.yml') as [
      { scrape_configs: readonly object[] },
    ];
    expect(jobs).toEqual([expect.objectContaining({ job_name: name, scrape_interval: '15s' })]);
    expect(JSON.stringify(jobs)).toContain(`"regex":"${name};${component}"`);
    const selected = read('deploy/prometheus/alerts.yml').matchAll(/job="([^"]*)"/g);
    for (const [, job] of selected) expect(job).toBe(name);
  });

  it('lets nothing but Prometheus reach the management port', () => {
    const { template } = ofKind('Deployment').spec;
    const [policy] = readYaml('deploy/kubernetes/networkpolicy.yaml') as [NetworkPolicy];
    expect(template.metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels);
    const containerPorts = template.spec.containers.flatMap(({ ports = [] }) =>
      ports.map(({ name }) => name),
    );
    const allowed = policy.spec.ingress.map(({ from, ports }) => [ports.map(({ port }) => port), from]);
    expect(allowed.map(([ports]) => ports)).toEqual(containerPorts.map((name) => [name]));
    expect(allowed[1]).toEqual([
      ['management'],
      [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    ]);
  });

  it('has a base and an overlay whose files exist, and publishes the port of the service alone', () => {
    const [{ resources, configMapGenerator }] = readYaml('deploy/kubernetes/kustomization.yaml') as [Base];
    const [{ replacements }] = readYaml('deploy/kubernetes/overlay.example.yaml') as [Overlay];
    const files = [...resources, ...configMapGenerator.flatMap(({ envs }) => envs)];
    const ofOverlay = replacements.map(({ path }) => path.replace('base/', ''));
    for (const file of [...files, ...ofOverlay]) expect(existsSync(`deploy/kubernetes/${file}`)).toBe(true);
    const backends = JSON.stringify(readYaml('deploy/kubernetes/ingress.example.yaml')).match(
      /"port":\{.*?\}/g,
    );
    expect(backends).toEqual(['"port":{"name":"http"}']);
    const [route] = readYaml('deploy/kubernetes/httproute.example.yaml');
    const [{ port }] = (ofKind('Service').spec as unknown as { ports: [{ port: number }] }).ports;
    expect(route).toMatchObject({ spec: { rules: [{ backendRefs: [{ name: 'petstore', port }] }] } });
  });

  it('names the job of the migration by the release, from the image of the deployment', () => {
    const [[{ source, targets }]] = readYaml('deploy/kubernetes/release.yaml') as [[Replacement]];
    expect(source).toMatchObject({ kind: 'Deployment', name: 'petstore' });
    const [job] = targets;
    const { metadata } = ofKind('Job') as unknown as { readonly metadata: { readonly name: string } };
    expect(job).toMatchObject({
      select: { kind: 'Job', name: metadata.name },
      fieldPaths: ['metadata.name'],
    });
    expect(metadata.name.split('-')).toHaveLength(3);
    expect(ofKind('Job').spec).not.toHaveProperty('ttlSecondsAfterFinished');
  });

  it.each(['Deployment', 'Job', 'CronJob'])(
    'mounts the CA that the URLs name into the pods of the %s',
    (kind) => {
      const { containers, volumes } = ofKind(kind).spec.template.spec;
      const mount = containers[0].volumeMounts?.find(({ mountPath }) => mountPath === '/etc/petstore');
      const { configMap } = volumes?.find(({ name }) => name === mount?.name) ?? {};
      expect(configMap).toEqual({ name: 'petstore-database-ca', optional: true });
      const urls = ['secret', 'external-secrets'].flatMap((name) =>
        [...read(`deploy/kubernetes/${name}.example.yaml`).matchAll(/DATABASE_URL: (.*)/g)].map(
          ([, url]) => url,
        ),
      );
      expect(urls).toHaveLength(4);
      for (const url of urls) {
        const { searchParams } = new URL(url ?? '');
        expect([searchParams.get('sslmode'), searchParams.get('sslrootcert')]).toEqual([
          'verify-full',
          '/etc/petstore/ca.crt',
        ]);
      }
    },
  );

  it('has a PostgreSQL with enough connections for the most replicas, whose writes wait for a standby', () => {
    const [{ spec }] = readYaml('deploy/kubernetes/postgres.example.yaml') as [Cluster];
    const [autoscaler] = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler') as unknown as [
      { readonly spec: { readonly maxReplicas: number } },
    ];
    const poolMax = Number(environment['DATABASE_POOL_MAX']);
    const used = autoscaler.spec.maxReplicas * (poolMax + 1);
    expect(loginLimitOf(Number(spec.postgresql.parameters.max_connections))).toBeGreaterThan(used);
    // Without dashboards, PostgreSQL's default is enough, also for one pod more during a rollout.
    expect(loginLimitOf(100)).toBeGreaterThanOrEqual((autoscaler.spec.maxReplicas + 1) * poolMax);
    expect(spec.bootstrap.initdb).toMatchObject({
      database: 'petstore',
      owner: 'petstore_owner',
      secret: { name: 'petstore-owner' },
      encoding: 'UTF8',
    });
    expect(spec.postgresql.synchronous).toEqual({ method: 'any', number: 1, failoverQuorum: true });
    expect(spec.instances).toBeGreaterThan(2);
  });

  it('probes the management port, selects the pods, and gives them time to stop', () => {
    const { template, selector } = ofKind('Deployment').spec;
    expect(template.spec.containers[0]).toMatchObject({
      startupProbe: probe('/health/live'),
      livenessProbe: probe('/health/live'),
      readinessProbe: probe('/health/ready'),
    });
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(template.metadata.labels).toMatchObject(ofKind('Service').spec.selector);
    expect(ofKind('Job').spec.template.metadata.labels).not.toMatchObject(ofKind('Service').spec.selector);
    const { DRAIN_GRACE_MS: drainMs, SHUTDOWN_TIMEOUT_MS: timeoutMs } = environment;
    const graceMs = template.spec.terminationGracePeriodSeconds * 1000;
    expect(graceMs).toBeGreaterThan(Number(drainMs) + Number(timeoutMs));
  });
});

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const [{ groups }] = readYaml('deploy/prometheus/alerts.yml') as [
  { groups: readonly { rules: readonly Alert[] }[] },
];
const alerts = groups.flatMap(({ rules }) => rules);

interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts: readonly object[];
}
const [{ tests }] = readYaml('deploy/prometheus/alerts.test.yml') as [
  { tests: readonly { readonly alert_rule_test?: readonly AlertTest[] }[] },
];
const alertTests = tests.flatMap(({ alert_rule_test: cases = [] }) => cases);
const { panels } = JSON.parse(read('deploy/grafana/dashboards/petstore.json')) as {
  panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
};

/** The names of metrics in an expression: words that are no function, label, keyword or duration. */
const metricsIn = (expr: string): readonly string[] =>
  expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .match(/[a-z_][a-z0-9_]*(?!\w|\s*\()/g)
    ?.filter((name) => name.includes('_')) ?? [];

describe('deploy/prometheus and deploy/grafana', () => {
  let service: RunningService;
  let exported: string;
  beforeAll(async () => {
    service = await runService({});
    exported = await (await fetch(`${service.management}/metrics`)).text();
  });
  afterAll(() => service.close());

  it.each([
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ])('%s uses metrics that exist', (_title, expr) => {
    for (const name of metricsIn(expr)) {
      if (name.startsWith('haproxy_')) continue;
      expect(exported).toContain(`# TYPE ${name.replace(/_(?:bucket|sum|count)$/, '')} `);
    }
  });

  it.each(alerts)('$alert is tested where it fires, and documented with its severity', (rule) => {
    const { alert, labels, annotations } = rule;
    const cases = alertTests.filter((one) => one.alertname === alert);
    expect(cases.filter(({ exp_alerts: expected }) => expected.length > 0)).not.toEqual([]);
    expect(annotations.summary).not.toBe('');
    expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    const section = read('docs/alerts.md').split(`\n## ${alert}\n`)[1] ?? '';
    expect(section).toMatch(
      new RegExp(`^\\n\`${labels.severity}\`\\. .+\\n\\n- \\*\\*Look at\\*\\*: .+\\n- \\*\\*Do\\*\\*: .+`),
    );
  });

  it('has panels for what is left of the budgets that the alerts watch', () => {
    const budgets = panels.flatMap(({ title, targets = [] }) =>
      title.includes('budget left') ? targets : [],
    );
    for (const share of ['0.001', '0.01']) {
      const watched = alerts.filter(({ expr }) => expr.includes(` * ${share}\n`));
      const shown = budgets.filter(({ expr }) => expr.endsWith(`/ ${share}`));
      expect([watched.length, shown.length]).toEqual([2, 1]);
    }
  });

  it('warns of memory by the limit of the containers', () => {
    const { expr = '' } = alerts.find(({ alert }) => alert === 'PetstoreMemoryNearLimit') ?? {};
    const [, mebibytes] = /\* (\d+) \* 1024 \* 1024/.exec(expr) ?? [];
    expect(compose.services['api']?.deploy.resources.limits.memory).toBe(`${mebibytes}M`);
  });
});

describe('the settings of sessions', () => {
  it('are those of the service in prisma/roles.sql', () => {
    const text = read('prisma/roles.sql');
    const names = Object.keys(SESSION_SETTINGS).join('|');
    const set = [...text.matchAll(new RegExp(`['"(\\[]+(${names})', '([^']+)'`, 'g'))];
    expect(Object.fromEntries(set.map(([, name, value]) => [name, value]))).toEqual(SESSION_SETTINGS);
  });
});

describe('the Dockerfile', () => {
  it('copies files that exist and that .dockerignore lets through', () => {
    const included = read('.dockerignore').match(/(?<=^!).*$/gm) ?? [];
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(([, words = '']) =>
      words.split(' ').slice(0, -1),
    );
    expect(copied.length).toBeGreaterThan(3);
    for (const path of copied) {
      expect([path, existsSync(path)]).toEqual([path, true]);
      expect([path, included.some((one) => path === one || path.startsWith(`${one}/`))]).toEqual([
        path,
        true,
      ]);
    }
  });

  it('has labels, a user by number, and a health check', () => {
    const last = read('Dockerfile').split('\nFROM ').at(-1);
    expect(last).toMatch(/^USER [1-9]\d*/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    for (const label of ['title', 'licenses', 'source', 'version', 'revision', 'created']) {
      expect(last).toContain(`org.opencontainers.image.${label}=`);
    }
  });
});
