import type { Pool } from 'pg';
import { type Answer, ask, tally } from './ask.js';
import { createTestDatabase } from './database.js';
import { issueKeys, type TestKey } from './issue-keys.js';
import { startService, type TestService, type TestServiceOptions } from './service.js';
import { showsOne } from './sql-outcome.js';
import { openTestPool } from './test-pool.js';

type KeyOptions = NonNullable<Parameters<typeof issueKeys>[2]>;

/** An operator with SQL, and two replicas that serve the same database. */
export interface OperatorWorld {
  readonly operator: Pool;
  issueKey(options?: KeyOptions): Promise<TestKey>;
  /** What a replica answers; it goes round them by the index. */
  ask(key: string, index?: number): Promise<Answer>;
  /** What each replica answers, such as `{ '200': 2 }`. */
  answers(key: string): Promise<Readonly<Record<string, number>>>;
  /** Of a key what the view says, by column. */
  overviewOf(key: TestKey, columns: string): Promise<Readonly<Record<string, unknown>>>;
  setKey(key: TestKey, assignments: string): Promise<void>;
  setCounters(key: TestKey, assignments: string): Promise<void>;
  close(): Promise<void>;
}

export async function openOperatorWorld(
  options: Omit<TestServiceOptions, 'databaseUrl'> = {},
): Promise<OperatorWorld> {
  const database = await createTestDatabase();
  const operator = openTestPool(database.url, { max: 4 });
  const start = (): Promise<TestService> => startService({ ...options, databaseUrl: database.url });
  const replicas = await Promise.all([start(), start()]);
  return {
    operator,
    issueKey: async (wanted = {}) => {
      const [key] = await issueKeys(operator, 1, wanted);
      if (key === undefined) throw new Error('no key was issued');
      return key;
    },
    ask: (key, index = 0) => ask(replicas[index % replicas.length]?.origin ?? '', { key }),
    answers: async (key) => tally(await Promise.all(replicas.map(({ origin }) => ask(origin, { key })))),
    overviewOf: ({ id }, columns) =>
      showsOne(operator, `select ${columns} from api_key_overview where id = $1`, [id]),
    setKey: async ({ id }, assignments) => {
      await operator.query(`update api_keys set ${assignments} where id = $1`, [id]);
    },
    setCounters: async ({ id }, assignments) => {
      await operator.query(`update api_key_counters set ${assignments} where api_key_id = $1`, [id]);
    },
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
      await operator.end();
      await database.drop();
    },
  };
}
