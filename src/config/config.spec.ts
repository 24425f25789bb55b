import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
};

describe('loadConfig', () => {
  it('needs no settings: defaults serve an embedded database on port 3000', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      port: 3000,
      managementPort: 3001,
      logRequests: 'all',
      drainGraceMs: 0,
      tracing: false,
      publicUrl: '',
      corsOrigins: '*',
      database: { url: undefined, dataDir: undefined, namedStatements: true },
      limits: { addressLimitPerMinute: 60, banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 },
    });
  });

  it('reads what is set', () => {
    const config = loadConfig({
      PORT: '8080',
      PUBLIC_URL: 'https://api.example.com',
      TRUST_PROXY: '10.0.0.0/8',
      CORS_ORIGINS: 'https://a.example, https://b.example',
      DATABASE_URL: 'postgres://u:p@db/petstore',
      DATABASE_NAMED_STATEMENTS: 'off',
      MANAGEMENT_PORT: '9100',
      LOG_REQUESTS: 'errors',
      DRAIN_GRACE_MS: '5000',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    });
    expect(config).toMatchObject({
      port: 8080,
      managementPort: 9100,
      logRequests: 'errors',
      drainGraceMs: 5000,
      tracing: true,
      publicUrl: 'https://api.example.com',
      trustProxy: { networks: ['10.0.0.0/8'] },
      corsOrigins: ['https://a.example', 'https://b.example'],
      database: { url: 'postgres://u:p@db/petstore', namedStatements: false },
    });
  });

  it.each([
    [{}, true],
    [{ MANAGEMENT_HOST: '::1' }, true],
    [{ MANAGEMENT_HOST: '0.0.0.0' }, false],
    [{ MANAGEMENT_HOST: '0.0.0.0', DASHBOARD: 'on' }, true],
    [{ DASHBOARD: 'off' }, false],
  ])(
    'has the dashboard where only this machine reaches it, unless it says otherwise (%j)',
    (environment, isOn) => {
      expect(loadConfig(environment).dashboard).toEqual({ isOn, hosts: [] });
    },
  );

  it('reads the host names of the dashboard', () => {
    expect(loadConfig({ DASHBOARD_HOSTS: 'Ops.example.com, desk' }).dashboard.hosts).toEqual([
      'ops.example.com',
      'desk',
    ]);
    expect(faultsOf({ DASHBOARD_HOSTS: 'https://ops.example.com' })).toEqual([
      'DASHBOARD_HOSTS: must be host names such as ops.example.com, separated by commas',
    ]);
  });

  it('takes the parameters of drivers in DATABASE_URL, but no schema of another name', () => {
    for (const query of ['', '?schema=public', '?user=a@b', '?host=/tmp/a@b']) {
      expect(faultsOf({ DATABASE_URL: `postgres://db/petstore${query}` })).toEqual([]);
    }
    expect(faultsOf({ DATABASE_URL: 'postgres://u:p@ss@db/petstore?schema=shop' })).toEqual([
      'DATABASE_URL: must not name a schema other than public',
    ]);
  });

  it('says which characters of a password cut a URL', () => {
    for (const password of ['secret/1', '12/secret', 'secret#1', '12#secret', 'secret?1']) {
      expect(faultsOf({ DATABASE_URL: `postgres://u:${password}@db:5432/petstore` })).toEqual([
        'DATABASE_URL: has a /, ? or # in the user or password: write %2F, %3F or %23',
      ]);
    }
  });

  it('reports a URL that names several hosts', () => {
    for (const hosts of ['db1,db2', 'db1:5432,db2:5433', '[::1],db2'])
      expect(faultsOf({ DATABASE_URL: `postgres://u:p@${hosts}/petstore?sslmode=disable` })).toEqual([
        'DATABASE_URL: names several hosts: write one, such as a proxy to the primary',
      ]);
    expect(faultsOf({ DATABASE_URL: 'postgres://u:a,b@db/petstore' })).toEqual([]);
  });

  it("follows the spec of OpenTelemetry's variables", () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
    const isOn = (more: object) => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more }).tracing;
    expect([isOn({}), isOn({ OTEL_SDK_DISABLED: 'false' }), isOn({ OTEL_TRACES_EXPORTER: 'otlp' })]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isOn({ OTEL_SDK_DISABLED: 'TRUE' }), isOn({ OTEL_TRACES_EXPORTER: 'none' })]).toEqual([
      false,
      false,
    ]);
    for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
      expect(faultsOf({ [name]: 'http/json' })).toEqual([]);
      expect(faultsOf({ [name]: 'grpc' })).toEqual([`${name}: must be one of http/json, not "grpc"`]);
    }
  });

  it('treats an empty variable as unset, as compose files write it', () => {
    expect(loadConfig({ DATABASE_URL: '', PORT: ' ' })).toMatchObject({
      port: 3000,
      database: { url: undefined },
    });
  });

  it('reports every error in one line that names the variable', () => {
    const faults = faultsOf({
      PORT: '70000',
      PUBLIC_URL: 'https://api.example.com/v1',
      TRUST_PROXY: '0.0.0.0/0',
      CORS_ORIGINS: 'example.com',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://u:secret@db/petstore',
      DATABASE_NAMED_STATEMENTS: 'yes',
      BAN_SECONDS: '7200',
      LOG_REQUESTS: 'some',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_TRACES_SAMPLER: 'some',
      OTEL_TRACES_SAMPLER_ARG: '2',
    });
    const names = faults.map((fault) => fault.slice(0, fault.indexOf(':')));
    expect(names.sort()).toEqual([
      'BAN_MAX_SECONDS',
      'CORS_ORIGINS',
      'DATABASE_NAMED_STATEMENTS',
      'DATABASE_URL',
      'LOG_LEVEL',
      'LOG_REQUESTS',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
      'PORT',
      'PUBLIC_URL',
      'TRUST_PROXY',
    ]);
    expect(faults.every((fault) => !fault.includes('\n'))).toBe(true);
  });

  it('rejects time-outs that leave no time for a response, or for sending a write', () => {
    for (const timeoutMs of ['499', '1501'])
      expect(faultsOf({ DATABASE_STATEMENT_TIMEOUT_MS: timeoutMs })).toHaveLength(1);
  });

  it('rejects equal management and public ports, except 0, which picks one', () => {
    expect(faultsOf({ PORT: '8080', MANAGEMENT_PORT: '8080' })).toEqual([
      'MANAGEMENT_PORT: must not be PORT',
    ]);
    expect(faultsOf({ PORT: '0', MANAGEMENT_PORT: '0' })).toEqual([]);
  });

  it('never repeats a password', () => {
    expect(faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'u:secret@collector' }).join()).not.toContain('secret');
    expect(faultsOf({ DATABASE_URL: 'u:secret@db' }).join()).not.toContain('secret');
  });
});
