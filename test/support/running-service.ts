import { type RunningProgram, runProgram } from './process.js';
import { createTestDatabase } from './database.js';
import { issueKeys, ROOMY } from './issue-keys.js';
import { openTestPool } from './test-pool.js';

/** The service as it runs in production, with its management port and its log, on a database of its own. */
export interface RunningService {
  readonly origin: string;
  readonly port: number;
  /** Of the management port. */
  readonly management: string;
  readonly databaseUrl: string;
  /** A key without limits that a test could reach. */
  readonly key: string;
  readonly program: RunningProgram;
  /** The lines that it logged so far about requests. */
  requests(): readonly Readonly<Record<string, unknown>>[];
  /** Ends it if it still runs, and removes its database. */
  close(): Promise<void>;
}

const PUBLIC = /^Pet Store Service: http:\/\/localhost:(\d+)\/v1$/m;
const MANAGEMENT = /^Health: (http:\/\/localhost:\d+)\/health/m;

export async function runService(
  environment: Readonly<Record<string, string>> = {},
  via: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<RunningService> {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url);
  const [issued] = await issueKeys(pool, 1, ROOMY);
  await pool.end();
  const program = runProgram('main.js', [], {
    PORT: '0',
    HOST: '127.0.0.1',
    MANAGEMENT_HOST: '127.0.0.1',
    DATABASE_URL: await via(database.url),
    ...environment,
  });
  const [, port = ''] = await program.printed(PUBLIC);
  const [, management = ''] = await program.printed(MANAGEMENT);
  return {
    origin: `http://127.0.0.1:${port}`,
    port: Number(port),
    management: management.replace('localhost', '127.0.0.1'),
    databaseUrl: database.url,
    key: issued?.key ?? '',
    program,
    requests: () => requestsIn(program.output.stderr),
    close: async () => {
      program.child.kill('SIGKILL');
      await program.ended;
      await database.drop();
    },
  };
}

/** Whole lines only: the last one may still be on its way. */
const requestsIn = (log: string): Readonly<Record<string, unknown>>[] =>
  log
    .slice(0, log.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === 'request');
