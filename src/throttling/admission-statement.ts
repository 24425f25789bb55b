import type { Pool } from 'pg';
import { admissionSql } from './admission-sql.js';
import { type DecidedSecret, type LiveKey, parseAdmission } from './admission-answer.js';
import { KeyTally } from './key-tally.js';
import type { KeyVerdict } from './key-verdict.js';
import { secretsOfGroup } from './secrets-of-group.js';

export type { KeyVerdict, WindowState } from './key-verdict.js';

export interface BanPolicy {
  /** The refusals within one minute window that start a ban, at least 1. */
  readonly banAfterRefusals: number;
  /** The length of a first ban, at least 1. */
  readonly banSeconds: number;
  /** The length that doubling stops at, at least `banSeconds`. */
  readonly banMaxSeconds: number;
}

/** Something that admission put right by itself and an operator should hear of. */
export type AdmissionRepair =
  /** The key's counts were more than two minutes ahead of the clock (another primary wrote them): they began anew. */
  | { readonly kind: 'clock-went-back'; readonly keyId: bigint }
  /** Live keys had no row of counters (somebody deleted them): the rows were made, and count from nought. */
  | { readonly kind: 'counters-missing'; readonly keyIds: readonly bigint[] };

export interface AdmissionStatementOptions {
  /** Whether the statement is prepared under a name: planned once a connection. Poolers older than PgBouncer 1.21 cannot. */
  readonly named: boolean;
  readonly onRepair?: (repair: AdmissionRepair) => void;
  readonly onBanStarted?: () => void;
}

/**
 * Decides about requests by one SQL statement a group: authenticates them, checks them against their plans, counts them.
 * The verdicts are those of the same requests made one after another at one instant. A failure of the database is thrown as it
 * is: nobody is admitted then.
 */
export class AdmissionStatement {
  readonly #queryable: Pick<Pool, 'query'>;
  readonly #policy: readonly number[];
  readonly #name: { readonly name?: string };
  readonly #onRepair: (repair: AdmissionRepair) => void;
  readonly #onBanStarted: () => void;

  constructor(queryable: Pick<Pool, 'query'>, policy: BanPolicy, options: AdmissionStatementOptions) {
    this.#queryable = queryable;
    this.#policy = [policy.banAfterRefusals, policy.banSeconds, policy.banMaxSeconds];
    this.#name = options.named ? { name: 'admission' } : {};
    this.#onRepair = options.onRepair ?? (() => undefined);
    this.#onBanStarted = options.onBanStarted ?? (() => undefined);
  }

  /**
   * @param hashes the SHA-256 of each request's secret (`\x` and hex), in order of arrival; the same one may occur many times
   * @param at a test's clock in place of the database's
   * @returns one verdict for each request, in the same order
   */
  async decide(hashes: readonly string[], at?: Date): Promise<readonly KeyVerdict[]> {
    const verdicts = await this.#ask(hashes, at);
    if (verdicts.every((verdict) => verdict !== undefined)) return verdicts;
    // A key without counters is neither admitted nor refused, as nothing can be counted: it gets them and is asked about again.
    const uncounted = hashes.filter((_, request) => verdicts[request] === undefined);
    await this.#makeMissingCounters(uncounted);
    const late = (await this.#ask(uncounted, at)).values();
    return verdicts.map(
      (verdict) => verdict ?? late.next().value ?? fail('the counters of a live key cannot be made'),
    );
  }

  /** One run of the statement; undefined stands for the requests of a live key that has no row of counters. */
  async #ask(group: readonly string[], at: Date | undefined): Promise<(KeyVerdict | undefined)[]> {
    const { hashes, requests, secretOf } = secretsOfGroup(group);
    const { rows } = await this.#queryable.query<[answer: string | null]>({
      ...this.#name,
      text: admissionSql,
      rowMode: 'array',
      values: [hashes, requests, at?.toISOString() ?? null, ...this.#policy],
    });
    const answers = this.#answersBySecret(parseAdmission(rows[0]?.[0] ?? null));
    return secretOf.map((place) => {
      const answer = answers[place];
      return answer === undefined ? { state: 'unknown' } : answer();
    });
  }

  /** For each secret that exists, at its place, what tells the verdict of the next request made with it. */
  #answersBySecret(secrets: readonly DecidedSecret[]): (() => KeyVerdict | undefined)[] {
    const answers: (() => KeyVerdict | undefined)[] = [];
    const tallies = new Map<bigint, KeyTally>();
    for (const secret of secrets) {
      const { state, position, keyId, nowMs } = secret;
      if (state === 'live') {
        const tally = tallies.get(keyId) ?? this.#tallyOf(secret);
        tallies.set(keyId, tally);
        answers[position - 1] = () => tally.next();
      } else {
        const verdict = state === 'uncounted' ? undefined : { state, keyId, nowMs };
        answers[position - 1] = () => verdict;
      }
    }
    return answers;
  }

  #tallyOf(key: LiveKey): KeyTally {
    if (key.clockWentBack) this.#onRepair({ kind: 'clock-went-back', keyId: key.keyId });
    const tally = new KeyTally(key);
    if (tally.startsBan) this.#onBanStarted();
    return tally;
  }

  async #makeMissingCounters(hashes: readonly string[]): Promise<void> {
    const { rows } = await this.#queryable.query<[string | bigint]>({
      text: missingCountersSql,
      rowMode: 'array',
      values: [hashes],
    });
    if (rows.length === 0) return;
    this.#onRepair({ kind: 'counters-missing', keyIds: rows.map(([keyId]) => BigInt(keyId)) });
  }
}

// In the order of the keys, for two replicas may do it at once; the one that comes second finds nothing to do.
const missingCountersSql = `
insert into api_key_counters (api_key_id)
select distinct api_key_id
from api_key_secrets
where hash = any ($1::bytea[])
order by api_key_id
on conflict (api_key_id) do nothing
returning api_key_id`;

function fail(message: string): never {
  throw new Error(message);
}
