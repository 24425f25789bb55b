import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { databaseUrlOf, variables } from './variables.js';

/** The environment is invalid. Each error is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** All external configuration. Names of durations include the unit. */
export type Config = ReturnType<typeof toConfig>;
export type DatabaseConfig = Config['database'];

/**
 * The longest that a request may wait for the database, for admission and statements in total. It leaves 100 ms of the two
 * seconds in which every request gets a response.
 */
const DATABASE_WAIT_MS = 1900;

/** For a connection with its settings. */
const DATABASE_CONNECT_MS = 800;

/**
 * PostgreSQL cancels a statement this long before the service gives up its connection: meanwhile a probe checks for a stalled
 * commit. Writes that queue during a one-second stall then still have time to be sent.
 */
export const DATABASE_PROBE_MS = 350;

/** Clients send request headers at once, however long the body takes. */
const HEADERS_TIMEOUT_MAX_MS = 10_000;

/**
 * The configuration of an environment, validated as a whole.
 *
 * @throws ConfigError with one line per fault
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as unset: compose files pass those.
  const set = Object.entries(environment).flatMap(([name, text = '']) =>
    text.trim() === '' ? [] : [[name, text.trim()] as const],
  );
  const { data, error } = variables.safeParse(Object.fromEntries(set));
  if (error === undefined) return toConfig(data);
  throw new ConfigError(error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`));
}

const isLoopback = (host: string): boolean => /^(?:localhost|127\.[\d.]+|::1)$/.test(host);

function toConfig(read: z.infer<typeof variables>) {
  return {
    host: read.HOST,
    port: read.PORT,
    managementHost: read.MANAGEMENT_HOST,
    // Some platforms choose PORT.
    managementPort: read.MANAGEMENT_PORT ?? (read.PORT === 3001 ? 3002 : 3001),
    dashboard: {
      isOn: (read.DASHBOARD ?? (isLoopback(read.MANAGEMENT_HOST) ? 'on' : 'off')) === 'on',
      hosts: read.DASHBOARD_HOSTS,
    },
    publicUrl: read.PUBLIC_URL,
    publishedPort: read.PUBLISHED_PORT,
    trustProxy: read.TRUST_PROXY,
    corsOrigins: read.CORS_ORIGINS,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
    logRequests: read.LOG_REQUESTS,
    bodyBytesMax: read.BODY_BYTES_MAX,
    requestTimeoutMs: read.REQUEST_TIMEOUT_MS,
    headersTimeoutMs: Math.min(HEADERS_TIMEOUT_MAX_MS, read.REQUEST_TIMEOUT_MS),
    drainGraceMs: read.DRAIN_GRACE_MS,
    keepAliveTimeoutMs: read.KEEP_ALIVE_TIMEOUT_MS,
    connectionsMax: read.CONNECTIONS_MAX,
    shutdownTimeoutMs: read.SHUTDOWN_TIMEOUT_MS,
    tracing:
      (read.OTEL_EXPORTER_OTLP_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined &&
      read.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
      read.OTEL_TRACES_EXPORTER !== 'none',
    database: {
      url: databaseUrlOf(read),
      dataDir: read.DATA_DIR,
      namedStatements: read.DATABASE_NAMED_STATEMENTS === 'on',
      poolMax: read.DATABASE_POOL_MAX,
      waitMs: DATABASE_WAIT_MS,
      connectTimeoutMs: DATABASE_CONNECT_MS,
      statementTimeoutMs: read.DATABASE_STATEMENT_TIMEOUT_MS,
      probeTimeoutMs: DATABASE_PROBE_MS,
    },
    limits: {
      addressLimitPerMinute: read.ADDRESS_LIMIT_PER_MINUTE,
      banAfterRefusals: read.BAN_AFTER_REFUSALS,
      banSeconds: read.BAN_SECONDS,
      banMaxSeconds: read.BAN_MAX_SECONDS,
      usageRetentionDays: read.USAGE_RETENTION_DAYS,
      // Not longer than the days, which cover gaps in the hours.
      usageHoursRetentionDays: Math.min(read.USAGE_HOURS_RETENTION_DAYS, read.USAGE_RETENTION_DAYS),
    },
  };
}

/** For the log: without the password of the database. */
export function describeConfig(config: Config): object {
  const { database } = config;
  if (database.url === undefined) return config;
  const { username, host, pathname } = new URL(database.url);
  return { ...config, database: { ...database, url: `postgresql://${username}@${host}${pathname}` } };
}

/** This release's version, the same from src and, compiled, from dist. */
export function releaseVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
