import { Client, type Pool } from 'pg';

/** Work of an operator that is in progress. */
export interface OperatorAtWork<Result> {
  /** Ends it, and returns the result. Must be called, also when the test fails. */
  stop(): Promise<Result>;
}

/** An operator whose transaction is open, with the locks that one statement took. */
export async function holdOpen(
  databaseUrl: string,
  statement: string,
  values: readonly unknown[],
): Promise<OperatorAtWork<void>> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return {
    stop: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

/** Ends the loop if a test forgets to stop it. */
const ROUNDS_MAX = 2000;

/**
 * An operator who updates all plans, all secrets and every third key except one, in an order that no other session uses,
 * again and again.
 *
 * @returns when stopped: how many rounds that were
 */
export function updateInBulk(pool: Pool, exceptKeyId: bigint): OperatorAtWork<number> {
  let stopped = false;
  const run = async (): Promise<number> => {
    let rounds = 0;
    while (!stopped && rounds < ROUNDS_MAX) {
      await pool.query('update plans set requests_per_day = requests_per_day');
      await pool.query('update api_key_secrets set expires_at = expires_at');
      await pool.query(
        `update api_keys set name = name, bans_lifted_at = now()
         from (select id from api_keys where random() < 0.33 order by random()) as chosen
         where api_keys.id = chosen.id and api_keys.id <> $1`,
        [exceptKeyId],
      );
      rounds += 1;
    }
    return rounds;
  };
  const running = run();
  // `stop` rejects with the error.
  running.catch(() => undefined);
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}
