import { hostname } from 'node:os';
import { statement } from '../database/statement.js';
import type { PrismaService } from '../database/prisma.service.js';

/** The most outages waiting to be written; the oldest are dropped. */
const OUTAGES_MAX = 100;

/** Idempotent, so it is retried if its result is unknown. */
const ADD_OUTAGES = statement(
  'add_database_outages',
  `
    insert into database_outages (replica, began_at, ended_at, undecided_of_no_key)
    select $1, began_at, ended_at, undecided
    from unnest($2::timestamptz[], $3::timestamptz[], $4::bigint[]) as outage (began_at, ended_at, undecided)
    on conflict (replica, began_at) do nothing`,
);

/** By the clock of the database. */
interface WrittenOutage {
  readonly beganAt: string;
  readonly endedAt: string;
  readonly undecided: number;
}

/** Writes the database outages of this replica. Those that are not yet written when it stops are lost. */
export class Outages {
  #unwritten: readonly WrittenOutage[] = [];

  constructor(
    private readonly prisma: Pick<PrismaService, 'pools' | 'write'>,
    private readonly clock: { nowMs(): number },
  ) {}

  /**
   * Rejects if they cannot be written; the next call writes them.
   *
   * @param takeUndecided returns the undecided requests of no key, for the last outage; not called without one
   */
  async write(takeUndecided: () => number): Promise<void> {
    const { pools } = this.prisma;
    const nowMs = this.clock.nowMs();
    const at = (moment: number): string => new Date(nowMs - (performance.now() - moment)).toISOString();
    const known = pools.state.takeOutages().map(({ from, until }, nth, { length }) => ({
      beganAt: at(from),
      endedAt: at(until),
      undecided: nth === length - 1 ? takeUndecided() : 0,
    }));
    this.#unwritten = [...this.#unwritten, ...known].slice(-OUTAGES_MAX);
    if (this.#unwritten.length === 0) return;
    const values = [
      hostname(),
      this.#unwritten.map(({ beganAt }) => beganAt),
      this.#unwritten.map(({ endedAt }) => endedAt),
      this.#unwritten.map(({ undecided }) => undecided),
    ];
    await pools.writes.run(() => this.prisma.write(ADD_OUTAGES, values));
    this.#unwritten = [];
  }
}
