import { asUnavailable } from '../../errors/database-errors.js';
import {
  queryWithoutPrisma,
  type Statement,
  statement,
  type StatementSource,
} from '../../database/statement.js';
import { admissionSql } from './general-admission.sql.js';
import { type AdmissionRow, keyDecisionsOf, parseAdmission } from './admission-row.js';
import type { AdmissionDecision } from './decision.js';
import { plainAdmissionSql } from './plain-admission.sql.js';

export interface BanPolicy {
  /** The rejections in a minute window that start a ban, at least 1. */
  readonly banAfterRefusals: number;
  /** The length of a first ban, at least 1. */
  readonly banSeconds: number;
  /** The cap on doubling, at least `banSeconds`. */
  readonly banMaxSeconds: number;
}

/** Observes admission, for metrics. No call may throw. */
export interface AdmissionObserver {
  /** This replica has started a ban. */
  banStarted(): void;
}

/** Injects the observers of admission, which `ObserversModule` lists. */
export const ADMISSION_OBSERVERS = Symbol('ADMISSION_OBSERVERS');

/** A secret that is never admitted, whatever the limits. Its request is charged to the address. */
export interface InvalidSecret {
  readonly state: 'unknown' | 'revoked' | 'expired';
  /** The key, if the secret is known. */
  readonly rejectedKey?: { readonly keyId: bigint };
}

/** The decision about a request by its secret. */
export type KeyDecision = AdmissionDecision | InvalidSecret;

export interface AdmissionStatementOptions {
  /** Gets the database's time. */
  readonly observe?: (nowMs: number) => void;
  /** Reports automatic corrections that an operator should know about. */
  readonly warn?: (message: string) => void;
  readonly onBanStarted?: (keyId: string, untilMs: number) => void;
}

/** One of the two statements that decide. */
interface AdmissionQuery extends Statement {
  /** Appended to the parameters that both statements share. */
  readonly parameters: readonly number[];
  /** The decision about secrets without a row. */
  readonly withoutRow: KeyDecision | undefined;
}

const PLAIN: AdmissionQuery = {
  ...statement('plain_admission', plainAdmissionSql, 'admission'),
  parameters: [],
  withoutRow: undefined,
};
const GENERAL = statement('admission', admissionSql, 'admission');

/** One per request, in order of arrival; undefined while not yet known. */
type Decisions = (KeyDecision | undefined)[];

/**
 * Decides about batches of requests in SQL: authenticates them, checks them against their plans, counts them. The plain case is
 * tried first; the general statement decides about the rest. The decisions equal those of serial processing. A
 * failure of the database is thrown: no request is admitted without it.
 */
export class AdmissionStatement {
  readonly #general: AdmissionQuery;

  constructor(
    private readonly source: StatementSource,
    { banAfterRefusals, banSeconds, banMaxSeconds }: BanPolicy,
    private readonly options: AdmissionStatementOptions = {},
  ) {
    this.#general = {
      ...GENERAL,
      parameters: [banAfterRefusals, banSeconds, banMaxSeconds],
      withoutRow: { state: 'unknown' },
    };
  }

  /**
   * @param hashes the SHA-256 of each request's secret (`\x` and hex), in order of arrival; the same one may occur many times
   * @param at a test's clock in place of the database's
   * @returns one decision for each request, in the same order, or an error if the database failed after deciding about others
   */
  async decide(hashes: readonly string[], at?: Date): Promise<readonly (KeyDecision | Error)[]> {
    const decisions = await this.#run(PLAIN, hashes, at);
    try {
      if (!isWhole(decisions)) await this.#decideRest(decisions, hashes, at);
      if (!isWhole(decisions)) {
        // A key without counters is neither admitted nor rejected, as nothing can be counted: create them and decide again.
        await this.#createMissingCounters(hashes.filter((_, request) => decisions[request] === undefined));
        await this.#decideRest(decisions, hashes, at);
      }
      if (isWhole(decisions)) return decisions;
      throw new Error('cannot create the counters of a valid key');
    } catch (error) {
      // Decided requests are counted: never decide twice.
      if (decisions.every((decision) => decision === undefined)) throw error;
      const failure = asUnavailable(error) as Error;
      return decisions.map((decision) => decision ?? failure);
    }
  }

  /** Runs the general statement for requests without a decision. Only keys without counters remain undecided. */
  async #decideRest(decisions: Decisions, hashes: readonly string[], at: Date | undefined): Promise<void> {
    const rest = hashes.filter((_, request) => decisions[request] === undefined);
    const decided = (await this.#run(this.#general, rest, at)).values();
    decisions.forEach((decision, request) => {
      decisions[request] = decision ?? decided.next().value;
    });
  }

  async #run(query: AdmissionQuery, hashes: readonly string[], at: Date | undefined): Promise<Decisions> {
    const requests = new Map<string, number>();
    for (const hash of hashes) requests.set(hash, (requests.get(hash) ?? 0) + 1);
    const secrets = [...requests.keys()];
    const values = [secrets, [...requests.values()], at?.toISOString() ?? null, ...query.parameters];
    const rows = parseAdmission(await queryWithoutPrisma<{ json: string }>(this.source, query, values));
    if (rows[0] !== undefined) this.options.observe?.(rows[0][5]);
    const decisionOf = new Map<string | undefined, () => KeyDecision | undefined>();
    const keys = new Map<string, () => KeyDecision>();
    for (const row of rows) {
      const [state, position, id] = row;
      const secret = secrets[position - 1];
      if (state === 'live' || state === 'suspended') {
        // The secrets of a key share its limits.
        const next = keys.get(id) ?? this.#keyDecisionsOf(row);
        keys.set(id, next);
        decisionOf.set(secret, next);
      } else {
        const decision = state === 'uncounted' ? undefined : { state, rejectedKey: { keyId: BigInt(id) } };
        decisionOf.set(secret, () => decision);
      }
    }
    return hashes.map((hash) => {
      const next = decisionOf.get(hash);
      return next === undefined ? query.withoutRow : next();
    });
  }

  #keyDecisionsOf(row: AdmissionRow): () => KeyDecision {
    const { clockWentBack, banUntilMs, next } = keyDecisionsOf(row);
    // Another primary wrote counts that are more than two minutes ahead.
    if (clockWentBack) {
      this.options.warn?.(
        `reset the counters of key ${row[2]}, because they were ahead of the database's clock. Was the clock set back?`,
      );
    }
    if (banUntilMs !== undefined) this.options.onBanStarted?.(row[2], banUntilMs);
    return next;
  }

  async #createMissingCounters(hashes: readonly string[]): Promise<void> {
    const rows = await queryWithoutPrisma<{ keyId: string }>(this.source, CREATE_MISSING_COUNTERS, [hashes]);
    if (rows.length === 0) return;
    const keyIds = rows.map(({ keyId }) => keyId).join(', ');
    this.options.warn?.(
      `created the missing counters of keys ${keyIds}. Did someone delete rows of api_key_counters?`,
    );
  }
}

const CREATE_MISSING_COUNTERS = {
  name: 'create_missing_counters',
  // Ordered by key, because two replicas may do it at once; the second one finds nothing to do.
  text: `
    insert into api_key_counters (api_key_id)
    select distinct api_key_id
    from api_key_secrets
    where hash = any ($1::bytea[])
    order by api_key_id
    on conflict (api_key_id) do nothing
    returning api_key_id::text as "keyId"`,
};

const isWhole = (decisions: Decisions): decisions is KeyDecision[] => !decisions.includes(undefined);
