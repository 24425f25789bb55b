import type { Pool, PoolClient } from 'pg';

/** The connections of some pools that are in use, and when each was taken or had its last result. */
export class TakenConnections {
  readonly #takenAt = new Map<PoolClient, number>();

  watch(pool: Pool): void {
    pool.on('connect', (client) => {
      // Whoever took it may have more to send: each statement has its own time.
      client.on('drain', () => {
        if (this.#takenAt.has(client)) this.#takenAt.set(client, performance.now());
      });
    });
    pool.on('acquire', (client) => this.#takenAt.set(client, performance.now()));
    pool.on('release', (_error, client) => this.#takenAt.delete(client));
  }

  /** Those without a result since a moment of `performance.now()`. */
  before(moment: number): PoolClient[] {
    const found: PoolClient[] = [];
    for (const [client, takenAt] of this.#takenAt) if (takenAt < moment) found.push(client);
    return found;
  }

  isTakenBefore(client: PoolClient, moment: number): boolean {
    return (this.#takenAt.get(client) ?? Infinity) < moment;
  }
}
