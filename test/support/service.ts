import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { Pool } from 'pg';
import { AppModule } from '../../src/app.module.js';
import { type Config, loadConfig } from '../../src/config/config.js';
import { columnTypes, ConnectionPools } from '../../src/database/connection-pools.js';
import { PrismaService } from '../../src/database/prisma.service.js';
import { WarmUp } from '../../src/database/warm-up.js';
import { Clock } from '../../src/auth/admission/clock.js';
import { Database } from '../../src/database/database.js';
import { HttpAdapter } from '../../src/http/http-adapter.js';
import { ManagementServer } from '../../src/monitoring/management/management-server.js';
import { createLogger, nestLogger } from '../../src/monitoring/telemetry/logger.js';
import { toJson } from '../../src/openapi/json.js';
import { ServedDocument } from '../../src/openapi/served-document.js';
import { setUpOpenApi } from '../../src/openapi/create-document.js';
import { Conformance } from './conformance.js';
import { createTestDatabase } from './database.js';
import { LONG_DEADLINES } from './deadlines.js';
import { httpFetch } from './http-fetch.js';
import { limitArguments, limitValues, type OwnLimits, ROOMY } from './issue-keys.js';
import { openTestPool } from './test-pool.js';

export interface IssueKey extends OwnLimits {
  readonly name: string;
  readonly plan: string;
  readonly expires?: Date;
}

/** A service with a database of its own, behind a real socket. */
export interface TestService {
  readonly origin: string;
  readonly port: number;
  readonly config: Config;
  readonly app: NestFastifyApplication;
  readonly prisma: PrismaService;
  readonly databaseUrl: string;
  /** The test's own connections: statements of the service's end after a second, which a busy machine may need for more. */
  readonly pool: Pool;
  /** A key that no test can exhaust by accident, unless it says otherwise. */
  issueKey(wanted?: Partial<IssueKey>): Promise<{ readonly id: bigint; readonly key: string }>;
  /** Checks responses against the OpenAPI document. */
  readonly conformance: Conformance;
  /** Also rejects when the response is not as documented, or is a 503 that the test does not provoke. */
  readonly fetch: (path: string, options?: RequestInit & { readonly key?: string }) => Promise<Response>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Gets every log line; without it they are shown when TEST_LOG_LEVEL is set. */
  readonly onLogLine?: (line: string) => void;
  /** Another database than a new one: then the caller drops it. */
  readonly databaseUrl?: string;
  /** Prepares the database before the start, and may return the URL by which the service connects to it, as another role. */
  readonly prepare?: (databaseUrl: string) => Promise<string | void>;
  /** There is no database, whose connections the start would wait for. */
  readonly hasNoDatabase?: boolean;
  /** The test provokes 503, by the deadlines of a deployment. Otherwise one fails it under its own name, whatever it compares. */
  readonly provokes503?: boolean;
  /** Connections are open, and statements prepared, before the port is bound, as in a deployment; so they are where the test provokes 503. */
  readonly isWarmedUp?: boolean;
  /** Deadlines that replace the long ones, or those of a deployment. */
  readonly deadlines?: Partial<typeof LONG_DEADLINES>;
}

const ROOMY_KEY: IssueKey = { name: 'test', plan: 'business', ...ROOMY };

const showLine = (line: string): void => {
  if (process.env['TEST_LOG_LEVEL'] !== undefined) process.stderr.write(line);
};

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const own = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? own?.url ?? '';
  const serviceUrl = (await options.prepare?.(databaseUrl)) ?? databaseUrl;
  const config = configOf(serviceUrl, options);
  const prisma = new PrismaService(
    new ConnectionPools({ ...config.database, url: serviceUrl, onConnectionLost: () => undefined }),
  );
  const logger = createLogger(process.env['TEST_LOG_LEVEL'] ?? 'info', {
    write: options.onLogLine ?? showLine,
  });
  const builder = Test.createTestingModule({
    imports: [AppModule.register({ config, logger })],
  })
    .overrideProvider(Database)
    .useValue(new Database(serviceUrl, undefined, prisma))
    .overrideProvider(ManagementServer)
    .useValue({ close: () => Promise.resolve(), dashboard: { close: () => Promise.resolve() } });
  // It prepares each statement on eight connections, which costs the server 0.4 s, and only deadlines of a deployment need.
  if (options.hasNoDatabase === true || (options.provokes503 ?? options.isWarmedUp) !== true)
    builder.overrideProvider(WarmUp).useValue({ close: () => undefined });
  if (options.clock !== undefined) builder.overrideProvider(Clock).useValue(options.clock);
  const module = await builder.compile();
  const app = module.createNestApplication<NestFastifyApplication>(new HttpAdapter(config, logger), {
    logger: nestLogger(logger),
  });
  setUpOpenApi(app);
  // Whatever `prepare` has set for the role or the database.
  const pool = openTestPool(databaseUrl, { types: columnTypes, options: '-c search_path=public' });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const conformance = new Conformance(toJson(app.get(ServedDocument, { strict: false }).document));
  return {
    origin,
    port,
    config,
    app,
    prisma,
    databaseUrl,
    pool,
    conformance,
    issueKey: (wanted = {}) => issueKey(pool, { ...ROOMY_KEY, ...wanted }),
    fetch: async (path, { key, headers, ...init } = {}) => {
      const { body: sent, signal } = init;
      const all = [
        ...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as [string, string]]),
        ...new Headers(headers),
      ];
      // Documents are compressed, and redirect.
      const isPlain = (sent === undefined || typeof sent === 'string') && signal === undefined;
      const response =
        isPlain && path.startsWith('/v1/')
          ? await httpFetch(`${origin}${path}`, { method: init.method, headers: all, body: sent })
          : await fetch(`${origin}${path}`, { ...init, headers: all });
      const method = init.method ?? 'GET';
      const { status } = response;
      const body = await response.clone().text();
      if (status === 503 && options.provokes503 !== true) throw new Error(`${method} ${path}: 503 ${body}`);
      const faults = conformance.faults({ method, target: path, status, headers: response.headers, body });
      if (faults.length > 0) throw new Error(`not as documented: ${faults.join('; ')}`);
      return response;
    },
    close: async () => {
      await app.close();
      await pool.end();
      await own?.drop();
    },
  };
}

function configOf(databaseUrl: string, options: TestServiceOptions): Config {
  const { environment, provokes503, deadlines } = options;
  const fixed = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: databaseUrl };
  // A busy machine may be slow to send.
  const loaded = loadConfig({ ...fixed, REQUEST_TIMEOUT_MS: '300000', ...environment });
  return {
    ...loaded,
    headersTimeoutMs: loaded.requestTimeoutMs,
    database: { ...loaded.database, ...(provokes503 !== true && LONG_DEADLINES), ...deadlines },
  };
}

async function issueKey(
  pool: Pool,
  { name, plan, expires, ...limits }: IssueKey,
): Promise<{ readonly id: bigint; readonly key: string }> {
  const { rows } = await pool.query<{ id: bigint; key: string }>(
    `select id, key from issue_api_key($1, $2, expires => $3, ${limitArguments(4, limits)})`,
    [name, plan, expires ?? null, ...limitValues(limits)],
  );
  const [issued] = rows;
  if (issued === undefined) throw new Error('no key was issued');
  return issued;
}
