import type { PoolClient } from 'pg';
import type { SessionsProbe, SessionsReport } from './sessions-probe.js';
import type { TakenConnections } from './taken-connections.js';

/** How often connections in use are looked at. */
const LOOK_MS = 25;

/** The pause between two probes while a statement is late: a stall may last for hours. */
const PROBE_EVERY_MS = 400;

export interface LostResultsOptions {
  readonly taken: TakenConnections;
  readonly probe: SessionsProbe;
  /** Milliseconds after which a connection is ended, unless the server is known to work on its statement. */
  readonly timeoutMs: number;
}

interface Probed {
  readonly startedAt: number;
  /** Undefined: the server could not be asked. */
  readonly sessions: SessionsReport | undefined;
}

/**
 * Ends connections whose result will never arrive, and no others. A statement that its server's time-outs did not end is in its
 * commit, which may last for as long as a synchronous standby is away. Another connection in its place would soon be in the same
 * state, until the server has none left; and to cancel it would have PostgreSQL report a commit that no standby has. So the
 * connection is kept while the server works on its statement, and a probe on a connection of its own finds out whether it does.
 */
export class LostResults {
  readonly #options: LostResultsOptions;
  readonly #timer: NodeJS.Timeout;
  #probed: Probed | undefined;
  #isProbing = false;
  #probeAt = 0;
  #isClosing = false;

  constructor(options: LostResultsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** From here on no statement is waited for longer than the time-out, whatever the server does. */
  close(): void {
    this.#isClosing = true;
    this.#timer.ref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { taken, timeoutMs } = this.#options;
    const now = performance.now();
    // Half of the time is left for the probe: a connection that is lost is ended as soon as its time is over.
    const late = taken.before(now - timeoutMs / 2);
    if (late.length === 0) {
      this.#probed = undefined;
      return;
    }
    if (!this.#isClosing && !this.#isProbing && now >= this.#probeAt) void this.#probe(now);
    for (const client of taken.before(now - timeoutMs)) {
      if (this.#isClosing || this.#isLost(client, timeoutMs)) this.#end(client);
    }
  }

  async #probe(startedAt: number): Promise<void> {
    const { probe, timeoutMs } = this.#options;
    this.#isProbing = true;
    const sessions = await probe.run(timeoutMs / 2);
    this.#isProbing = false;
    this.#probed = { startedAt, sessions };
    this.#probeAt = sessions === undefined ? 0 : performance.now() + PROBE_EVERY_MS;
    this.#look();
  }

  /** By the newest probe: of one that reached the server, only if the statement had been late when it began. */
  #isLost(client: PoolClient, timeoutMs: number): boolean {
    if (this.#probed === undefined) return false;
    const { startedAt, sessions } = this.#probed;
    if (sessions === undefined) return true;
    const { taken } = this.#options;
    return taken.isTakenBefore(client, startedAt - timeoutMs / 2) && !sessions.worksFor(client);
  }

  #end(client: PoolClient): void {
    // Its statement rejects, and whoever took the connection gives it back as broken.
    client.end().catch(() => undefined);
  }
}
