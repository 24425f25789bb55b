import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Gauge, Registry } from 'prom-client';
import { LOGGER, type Logger } from '../../config/config.module.js';
import {
  describeSnapshot,
  OLD_SNAPSHOT_S,
  OPEN_SNAPSHOTS,
  type OpenSnapshot,
} from '../../database/open-snapshots.js';
import { Readiness } from './readiness.js';

/** From a second of this process's own. */
const EVERY_MINUTE = `${randomInt(60)} * * * * *`;

interface Seen extends OpenSnapshot {
  /** The moment of `performance.now()` at which it was seen first. */
  readonly firstAt: number;
}

/**
 * Measures for how long the same snapshots are open, and reports those of ten minutes. The service does not see when another role's
 * transaction began, but that its snapshot is the same as a minute ago.
 */
@Injectable()
export class OldSnapshots {
  #seen: ReadonlyMap<string, Seen> = new Map();
  #reported: ReadonlySet<string> = new Set();

  constructor(
    @Inject(Readiness) private readonly readiness: Pick<Readiness, 'pools' | 'wasReady'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    registry: Registry,
  ) {
    const oldest: Gauge = new Gauge({
      name: 'petstore_oldest_snapshot_seconds',
      help: 'For how long this replica has seen the oldest snapshot of the database open; 0 if it slows nothing down.',
      registers: [registry],
      collect: () => oldest.set(Math.max(0, ...[...this.#seen.values()].map(secondsSince))),
    });
  }

  /** Never rejects: without a database, what was seen stays. */
  @Cron(EVERY_MINUTE, { waitForCompletion: true })
  async look(): Promise<void> {
    const { pools } = this.readiness;
    if (pools === undefined || !this.readiness.wasReady) return;
    try {
      const { rows } = await pools.main.query<OpenSnapshot>(OPEN_SNAPSHOTS);
      const now = performance.now();
      this.#seen = new Map(
        rows.map((row) => {
          const id = [row.kind, row.name, row.virtualxid, row.xid].join(' ');
          return [id, { ...row, firstAt: this.#seen.get(id)?.firstAt ?? now }];
        }),
      );
    } catch {
      return;
    }
    const old = this.#old();
    for (const [id, seen] of old) if (!this.#reported.has(id)) this.logger.warn(describe(seen));
    this.#reported = new Set(old.map(([id]) => id));
  }

  /** What an operator should know, in sentences. */
  problems(): readonly string[] {
    return this.#old().map(([, seen]) => describe(seen));
  }

  #old(): readonly (readonly [string, Seen])[] {
    return [...this.#seen].filter(([, seen]) => secondsSince(seen) >= OLD_SNAPSHOT_S);
  }
}

const secondsSince = ({ firstAt }: Seen): number => (performance.now() - firstAt) / 1000;

const describe = (seen: Seen): string => describeSnapshot(seen, secondsSince(seen));
