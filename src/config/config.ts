import { parseTrustProxy, type TrustProxy } from '../http/client-address/trust-proxy.js';
import { ConfigError, type Environment, EnvironmentReader } from './environment.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export const DEFAULT_DATA_DIR = './.petstore';

/** Everything that can be set from outside. Durations say their unit. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** For supervisors and Prometheus: it must not be reachable from outside. */
  readonly managementHost: string;
  readonly managementPort: number;
  /** Origin without `/v1` that links begin with; empty for path-absolute links. */
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy | undefined;
  readonly corsOrigins: '*' | readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly logRequests: 'all' | 'errors' | 'off';
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** How long a stop goes on serving after it has said that it is not ready. */
  readonly drainGraceMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connections: ConnectionsConfig;
  readonly shutdownTimeoutMs: number;
  /** Absent: nobody wants traces. */
  readonly tracing: TracingConfig | undefined;
  readonly database: DatabaseConfig;
  readonly limits: LimitsConfig;
}

export interface TracingConfig {
  /** The collector's address, to which `/v1/traces` is added. */
  readonly endpoint: string;
  /** The part of the traces that are kept of those that begin here, 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
}

export interface ConnectionsConfig {
  /** Open connections in all. */
  readonly connectionsMax: number;
  /** Open connections of one client address; trusted proxies are not limited so. */
  readonly connectionsPerAddressMax: number;
}

export interface DatabaseConfig {
  /** Absent: an embedded PostgreSQL in `dataDir`. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Off behind a pooler that does not keep prepared statements (PgBouncer before 1.21). */
  readonly namedStatements: boolean;
  readonly poolMax: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
}

export interface LimitsConfig {
  readonly addressLimitPerMinute: number;
  readonly banAfterRefusals: number;
  readonly banSeconds: number;
  readonly banMaxSeconds: number;
  readonly usageRetentionDays: number;
}

const DAY_SECONDS = 86_400;

/**
 * The configuration of an environment, checked whole.
 *
 * @throws ConfigError with one line per fault
 */
export function loadConfig(environment: Environment): Config {
  const read = new EnvironmentReader(environment);
  const config: Config = {
    host: read.text('HOST') ?? '0.0.0.0',
    port: read.integer('PORT', 3000, 0, 65_535),
    managementHost: read.text('MANAGEMENT_HOST') ?? '0.0.0.0',
    managementPort: read.integer('MANAGEMENT_PORT', 3001, 0, 65_535),
    publicUrl: read.parsed('PUBLIC_URL', '', parseOrigin),
    trustProxy: read.parsed('TRUST_PROXY', undefined, parseTrustProxy),
    corsOrigins: read.parsed('CORS_ORIGINS', '*', parseOrigins),
    logLevel: read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    logRequests: read.oneOf('LOG_REQUESTS', 'all', ['all', 'errors', 'off']),
    // The longest legal animal is 3 KiB, with every character escaped.
    bodyBytesMax: read.integer('BODY_BYTES_MAX', 65_536, 4096, 16_777_216),
    requestTimeoutMs: read.integer('REQUEST_TIMEOUT_MS', 30_000, 1000, 600_000),
    drainGraceMs: read.integer('DRAIN_GRACE_MS', 0, 0, 600_000),
    // Longer than balancers keep an idle connection (60 s is common): else one would send a request into a connection that the
    // service is closing, and answer 502.
    keepAliveTimeoutMs: read.integer('KEEP_ALIVE_TIMEOUT_MS', 75_000, 1000, 3_600_000),
    connections: {
      // An idle one takes some 10 KB of memory and a descriptor.
      connectionsMax: read.integer('CONNECTIONS_MAX', 10_000, 1, 1_000_000),
      // A tenth of all: browsers open 6, so that 160 of them fit behind one address, and a stranger alone cannot take every place.
      connectionsPerAddressMax: read.integer('CONNECTIONS_PER_ADDRESS_MAX', 1000, 1, 1_000_000),
    },
    shutdownTimeoutMs: read.integer('SHUTDOWN_TIMEOUT_MS', 10_000, 0, 600_000),
    tracing: readTracing(read),
    database: {
      url: read.parsed('DATABASE_URL', undefined, parseDatabaseUrl),
      dataDir: read.text('DATA_DIR') ?? DEFAULT_DATA_DIR,
      namedStatements: read.oneOf('DATABASE_NAMED_STATEMENTS', 'on', ['on', 'off']) === 'on',
      poolMax: read.integer('DATABASE_POOL_MAX', 10, 5, 1000),
      connectTimeoutMs: read.integer('DATABASE_CONNECT_TIMEOUT_MS', 800, 50, 2000),
      // The server ends the statement 350 ms earlier. The longer that takes, the less time a write has to be sent in.
      statementTimeoutMs: read.integer('DATABASE_STATEMENT_TIMEOUT_MS', 950, 500, 1500),
    },
    limits: {
      addressLimitPerMinute: read.integer('ADDRESS_LIMIT_PER_MINUTE', 60, 1, 1_000_000),
      banAfterRefusals: read.integer('BAN_AFTER_REFUSALS', 20, 1, 1_000_000),
      banSeconds: read.integer('BAN_SECONDS', 60, 1, DAY_SECONDS),
      banMaxSeconds: read.integer('BAN_MAX_SECONDS', 3600, 1, 30 * DAY_SECONDS),
      usageRetentionDays: read.integer('USAGE_RETENTION_DAYS', 400, 31, 36_500),
    },
  };
  if (config.limits.banMaxSeconds < config.limits.banSeconds) {
    read.faults.push('BAN_MAX_SECONDS: must not be less than BAN_SECONDS');
  }
  if (config.managementPort !== 0 && config.managementPort === config.port) {
    read.faults.push('MANAGEMENT_PORT: must not be PORT');
  }
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

/** Under the names that OpenTelemetry gives them. */
function readTracing(read: EnvironmentReader): TracingConfig | undefined {
  const ratio = read.parsed('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio);
  const serviceName = read.text('OTEL_SERVICE_NAME') ?? 'petstore';
  const endpoint = read.parsed('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, parseHttpUrl);
  return endpoint === undefined ? undefined : { endpoint, ratio, serviceName };
}

function parseHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  // The text is not repeated: it may hold a password.
  throw new Error('must be a URL such as http://collector:4318');
}

function parseRatio(text: string): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new Error(`must be a number from 0 to 1, not "${text}"`);
}

function parseDatabaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'postgresql:' || url?.protocol === 'postgres:') return text;
  // The text is not repeated: it may hold a password.
  throw new Error('must be a URL such as postgresql://user:password@host:5432/database');
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && text === url.origin) return text;
  throw new Error(`must be an origin such as https://api.example.com, without a path, not "${text}"`);
}

function parseOrigins(text: string): '*' | readonly string[] {
  return text === '*' ? '*' : text.split(',').map((one) => parseOrigin(one.trim()));
}
