import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { connectionTo, DatabaseTlsError } from './database-tls.js';
import { parseTrustProxy } from './trust-proxy.js';

const DAY_SECONDS = 86_400;

/** Only digits: `Number` also reads `1e3` and `0x10`. */
const integer = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: ({ input }) => `must be an integer from ${min} to ${max}, not "${String(input)}"`,
    })
    .transform(Number);

const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: ({ input }) => `must be one of ${values.join(', ')}, not "${String(input)}"` });

/** The error does not repeat the text: it may hold a password. */
const url = (protocol: RegExp, example: string) =>
  z.url({ protocol, error: `must be a URL such as ${example}` });

/** Whether part of the password was parsed as the host or database. */
function isCutByPassword(text: string): boolean {
  const hasCut = /^\w+:\/\/[^@]*[/?#][^@]*@/.test(text);
  return hasCut && (!URL.canParse(text) || /@/.test(new URL(text).pathname + new URL(text).hash));
}

const isOtherSchema = ({ searchParams }: URL): boolean =>
  !['', 'public'].includes(searchParams.get('schema') ?? '');

const databaseUrl = z
  .string()
  .refine((text) => !/^\w+:\/\/[^/?#]*,[^/?#@]*(?:[/?#]|$)/.test(text), {
    error: 'names several hosts: write one, such as a proxy to the primary',
    abort: true,
  })
  .refine((text) => !isCutByPassword(text), 'has a /, ? or # in the user or password: write %2F, %3F or %23')
  .pipe(url(/^postgres(ql)?$/, 'postgresql://user:password@host:5432/database'))
  // Prisma's own parameter, which its adapter ignores: the tables would not be in the named schema.
  .refine((text) => !URL.canParse(text) || !isOtherSchema(new URL(text)), {
    error: 'must not name a schema other than public',
  })
  .superRefine((text, context) => {
    try {
      if (URL.canParse(text)) connectionTo(text);
    } catch (error) {
      if (!(error instanceof DatabaseTlsError)) throw error;
      context.addIssue(error.message);
    }
  });

/** The content of a file, as mounted by Docker and Kubernetes, without line endings that editors add. The scripts in `deploy` do the same. */
const secretFile = z.string().transform((file, context) => {
  try {
    const secret = readFileSync(file, 'utf8').replaceAll(/[\r\n]/g, '');
    if (secret.trim() !== '') return secret;
    context.addIssue(`the file ${file} is empty`);
  } catch (error) {
    context.addIssue(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  return z.NEVER;
});

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const origin = z.string().refine(isOrigin, {
  error: ({ input }) =>
    `must be an origin such as https://api.example.com, without a path, not "${String(input)}"`,
});

/** Several, separated by commas. */
const listOf = (one: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(one));

const ratio = z.string().refine((text) => Number(text) >= 0 && Number(text) <= 1, {
  error: ({ input }) => `must be a number from 0 to 1, not "${String(input)}"`,
});

const trustProxy = z.string().transform((text, context) => {
  try {
    return parseTrustProxy(text);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});

/** A hostname for browsers to reach the dashboard, besides localhost and IPs. */
const hostName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z\d-]+(?:\.[a-z\d-]+)*$/, 'must be host names such as ops.example.com, separated by commas');

/** OpenTelemetry's own, in its environment variable specification. */
const TRACES_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

interface DatabaseVariables {
  readonly DATABASE_URL?: string | undefined;
  readonly DATABASE_URL_FILE?: string | undefined;
  readonly DATABASE_PASSWORD_FILE?: string | undefined;
}

const lacksPassword = ({ DATABASE_URL, DATABASE_URL_FILE }: DatabaseVariables): boolean => {
  const text = DATABASE_URL ?? DATABASE_URL_FILE ?? '';
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== '' && password === '';
};

/** The URL of the database, with the password of its file. */
export function databaseUrlOf({
  DATABASE_URL,
  DATABASE_URL_FILE,
  DATABASE_PASSWORD_FILE,
}: DatabaseVariables) {
  const text = DATABASE_URL ?? DATABASE_URL_FILE;
  if (text === undefined || DATABASE_PASSWORD_FILE === undefined) return text;
  const complete = new URL(text);
  complete.password = encodeURIComponent(DATABASE_PASSWORD_FILE);
  return complete.href;
}

/** Even if other variables are invalid, so an operator sees all errors at once. */
const always = (): boolean => true;

/** The environment variables that the service reads. */
export const variables = z
  .object({
    HOST: z.string().default('0.0.0.0'),
    PORT: integer(0, 65_535).default(3000),
    // For supervisors and Prometheus: it must not be reachable from outside.
    MANAGEMENT_HOST: z.string().default('127.0.0.1'),
    MANAGEMENT_PORT: integer(0, 65_535).optional(),
    // On by default where only this machine reaches the management port.
    DASHBOARD: oneOf(['on', 'off']).optional(),
    DASHBOARD_HOSTS: listOf(hostName).default([]),
    // The port in the banner if a container's port is published as another.
    PUBLISHED_PORT: integer(1, 65_535).optional(),
    // Links begin with this origin; without one they are path-absolute.
    PUBLIC_URL: origin.default(''),
    TRUST_PROXY: trustProxy.optional(),
    CORS_ORIGINS: z.literal('*').or(listOf(origin)).default('*'),
    LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    // Text at a terminal, else JSON.
    LOG_FORMAT: oneOf(['json', 'text']).optional(),
    LOG_REQUESTS: oneOf(['all', 'errors', 'off']).default('all'),
    // The longest legal pet is 3 KiB, with every character escaped.
    BODY_BYTES_MAX: integer(4096, 16_777_216).default(65_536),
    REQUEST_TIMEOUT_MS: integer(1000, 600_000).default(10_000),
    // How long shutdown keeps serving after readiness reports it.
    DRAIN_GRACE_MS: integer(0, 600_000).default(0),
    // Longer than load balancers keep idle connections (60 s is common): else one would send a request on a connection that the
    // service is closing, and respond with 502.
    KEEP_ALIVE_TIMEOUT_MS: integer(1000, 3_600_000).default(75_000),
    // An idle one takes about 12 KB and a file descriptor.
    CONNECTIONS_MAX: integer(1, 1_000_000).default(10_000),
    SHUTDOWN_TIMEOUT_MS: integer(0, 600_000).default(10_000),
    // Either turns traces on. OpenTelemetry reads these variables itself, and ignores wrong values.
    OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/, 'http://collector:4318').optional(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url(/^https?$/, 'http://collector:4318/v1/traces').optional(),
    // These as well, except for unsupported values: a wrong one would silently disable traces.
    OTEL_SDK_DISABLED: z.string().optional(),
    OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']).default('otlp'),
    OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(['http/json']).optional(),
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf(['http/json']).optional(),
    OTEL_TRACES_SAMPLER: oneOf(TRACES_SAMPLERS).optional(),
    OTEL_TRACES_SAMPLER_ARG: ratio.optional(),
    // Without one an embedded PostgreSQL runs in DATA_DIR, whose default is found by src/database/embedded.
    DATABASE_URL: databaseUrl.optional(),
    DATABASE_URL_FILE: secretFile
      .transform((text) => text.trim())
      .pipe(databaseUrl)
      .optional(),
    DATABASE_PASSWORD_FILE: secretFile.optional(),
    DATA_DIR: z.string().optional(),
    // Off behind a pooler that does not keep prepared statements (PgBouncer before 1.21).
    DATABASE_NAMED_STATEMENTS: oneOf(['on', 'off']).default('on'),
    DATABASE_POOL_MAX: integer(5, 1000).default(10),
    // The server ends the statement 350 ms earlier. A longer time-out leaves less time for sending a write.
    DATABASE_STATEMENT_TIMEOUT_MS: integer(500, 1500).default(950),
    ADDRESS_LIMIT_PER_MINUTE: integer(1, 1_000_000).default(60),
    BAN_AFTER_REFUSALS: integer(1, 1_000_000).default(20),
    BAN_SECONDS: integer(1, DAY_SECONDS).default(60),
    BAN_MAX_SECONDS: integer(1, DAY_SECONDS).default(3600),
    USAGE_RETENTION_DAYS: integer(31, 36_500).default(400),
    // One row per key, operation and outcome per hour: many more than days.
    USAGE_HOURS_RETENTION_DAYS: integer(2, 36_500).default(35),
  })
  .refine(({ BAN_SECONDS, BAN_MAX_SECONDS }) => !(BAN_MAX_SECONDS < BAN_SECONDS), {
    path: ['BAN_MAX_SECONDS'],
    error: 'must not be less than BAN_SECONDS',
    when: always,
  })
  .refine(({ DATABASE_URL, DATABASE_URL_FILE }) => !(DATABASE_URL && DATABASE_URL_FILE), {
    path: ['DATABASE_URL_FILE'],
    error: 'must not be set together with DATABASE_URL',
    when: always,
  })
  .refine((read) => !read.DATABASE_PASSWORD_FILE || lacksPassword(read), {
    path: ['DATABASE_PASSWORD_FILE'],
    error: 'needs a DATABASE_URL with a user and without a password',
    when: always,
  })
  .refine(({ PORT, MANAGEMENT_PORT }) => MANAGEMENT_PORT === 0 || MANAGEMENT_PORT !== PORT, {
    path: ['MANAGEMENT_PORT'],
    error: 'must not be PORT',
    when: always,
  });

/** @public for the check of the documents */
export const VARIABLE_NAMES = Object.keys(variables.shape);
