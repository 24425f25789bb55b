import type { Pool } from 'pg';
import { DatabaseState } from '../../src/database/database-state.js';

/** What `Readiness` looks at, of a service with one pool. */
export const servingPools = (pool: Pool, say: (line: string) => void = () => undefined) => ({
  main: pool,
  all: [pool] as const,
  waiting: 0,
  state: new DatabaseState(say),
  losesStatements: false,
});
