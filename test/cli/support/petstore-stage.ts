import type { Pool } from 'pg';
import { createTestDatabase } from '../../support/database.js';
import { openTestPool } from '../../support/test-pool.js';
import { type Petstore, petstoreOn } from './petstore.js';

/** A database of a test's own, and the command line on it. */
export interface PetstoreStage {
  readonly pool: Pool;
  readonly petstore: Petstore;
  close(): Promise<void>;
}

export async function openPetstoreStage(): Promise<PetstoreStage> {
  const database = await createTestDatabase();
  const pool = openTestPool(database.url, { max: 2 });
  return {
    pool,
    petstore: petstoreOn(database.url),
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
