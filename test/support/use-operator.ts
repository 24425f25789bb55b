import type { Pool } from 'pg';
import { type ApiResponse, send, tally } from './send.js';
import { limitArguments, limitValues, type OwnLimits, type TestKey } from './issue-keys.js';
import type { TestServiceOptions } from './service.js';
import { selectOne } from './sql-outcome.js';
import { openTestPool } from './test-pool.js';
import { useReplicas, useService } from './use-service.js';
import { afterAll, beforeAll } from '@jest/globals';

/** An operator with SQL, and two replicas that serve the same database. */
export interface OperatorInUse {
  /** Identifiers are text, as operators and their programs read them. */
  readonly pool: Pool;
  /** Of the plan business, with the limits of that plan unless others are given. */
  issueKey(limits?: OwnLimits): Promise<TestKey>;
  /** The response of one of the replicas, in turn by the index. */
  send(key: string, index?: number): Promise<ApiResponse>;
  /** The responses of both replicas, such as `{ '200': 2 }`. */
  responses(key: string): Promise<Readonly<Record<string, number>>>;
  /** Columns of a key's row in the view. */
  overviewOf(key: Pick<TestKey, 'id'>, columns: string): Promise<Readonly<Record<string, unknown>>>;
  setKey(key: TestKey, assignments: string): Promise<void>;
  setCounters(key: TestKey, assignments: string): Promise<void>;
}

export function useOperator(options: TestServiceOptions = {}): OperatorInUse {
  const service = useService(options);
  const replicas = useReplicas(service, 1, options);
  const update = async (
    table: string,
    assignments: string,
    column: string,
    { id }: TestKey,
  ): Promise<void> => {
    await operator.pool.query(`update ${table} set ${assignments} where ${column} = $1`, [id]);
  };
  const operator = {
    send: (key: string, index = 0) => send([service, ...replicas][index % 2]?.origin ?? '', { key }),
    responses: async (key: string) =>
      tally(await Promise.all([service, ...replicas].map(({ origin }) => send(origin, { key })))),
    overviewOf: ({ id }: Pick<TestKey, 'id'>, columns: string) =>
      selectOne<Record<string, unknown>>(
        operator.pool,
        `select ${columns} from api_key_overview where id = $1`,
        [id],
      ),
    setKey: (key: TestKey, assignments: string) => update('api_keys', assignments, 'id', key),
    setCounters: (key: TestKey, assignments: string) =>
      update('api_key_counters', assignments, 'api_key_id', key),
    issueKey: async (limits: OwnLimits = {}) => {
      const issued = await selectOne<{ id: string; key: string }>(
        operator.pool,
        `select id, key from issue_api_key('test key', 'business', ${limitArguments(1, limits)})`,
        limitValues(limits),
      );
      return { id: BigInt(issued.id), key: issued.key };
    },
  } as OperatorInUse;
  beforeAll(() => {
    Object.assign(operator, { pool: openTestPool(service.databaseUrl, { max: 4 }) });
  });
  afterAll(() => operator.pool.end());
  return operator;
}
