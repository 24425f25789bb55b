import { asUnavailable } from '../common/errors/database-errors.js';
import { runStatement, type Statement, statement, type StatementSource } from '../prisma/statement.js';
import { admissionSql } from './admission-sql.js';
import { type AdmissionRow, type KeyVerdict, parseAdmission, tallyOf } from './key-verdict.js';
import { plainAdmissionSql } from './plain-admission-sql.js';

export interface BanPolicy {
  /** The refusals within one minute window that start a ban, at least 1. */
  readonly banAfterRefusals: number;
  /** The length of a first ban, at least 1. */
  readonly banSeconds: number;
  /** The length that doubling stops at, at least `banSeconds`. */
  readonly banMaxSeconds: number;
}

/** Something that admission corrected by itself and an operator should know. */
export type AdmissionRepair =
  /** The key's counts were more than two minutes ahead of the clock (another primary wrote them): they began anew. */
  | { readonly kind: 'clock-went-back'; readonly keyId: bigint }
  /** Live keys had no row of counters (somebody deleted them): the rows were made, and count from zero. */
  | { readonly kind: 'counters-missing'; readonly keyIds: readonly bigint[] };

/** Observes admission, for metrics. No call may throw. */
export abstract class AdmissionObserver {
  /** This replica has started a ban. */
  abstract banStarted(): void;
}

export interface AdmissionStatementOptions {
  readonly onRepair?: (repair: AdmissionRepair) => void;
  readonly onBanStarted?: (() => void) | undefined;
}

/** One of the statements that decide. */
interface Way extends Statement {
  /** After those that all have. */
  readonly parameters: readonly number[];
  /** The verdict about secrets that its rows do not contain. */
  readonly otherwise: KeyVerdict | undefined;
}

const PLAIN: Way = {
  ...statement('plain_admission', plainAdmissionSql, 'admission'),
  parameters: [],
  otherwise: undefined,
};
const GENERAL = statement('admission', admissionSql, 'admission');

/** One for each request, in order of arrival; undefined where it is not known yet. */
type Verdicts = (KeyVerdict | undefined)[];

/**
 * Decides about batches of requests in SQL: authenticates them, checks them against their plans, counts them. The plain case is
 * tried first; the general statement decides about the rest. The verdicts are those of the same requests made one after another. A
 * failure of the database is thrown: no request is admitted without it.
 */
export class AdmissionStatement {
  readonly #general: Way;

  constructor(
    private readonly source: StatementSource,
    { banAfterRefusals, banSeconds, banMaxSeconds }: BanPolicy,
    private readonly options: AdmissionStatementOptions = {},
  ) {
    this.#general = {
      ...GENERAL,
      parameters: [banAfterRefusals, banSeconds, banMaxSeconds],
      otherwise: { state: 'unknown' },
    };
  }

  /**
   * @param hashes the SHA-256 of each request's secret (`\x` and hex), in order of arrival; the same one may occur many times
   * @param at a test's clock in place of the database's
   * @returns one verdict for each request, in the same order, or an error where the database failed after it had decided about others
   */
  async decide(hashes: readonly string[], at?: Date): Promise<readonly (KeyVerdict | Error)[]> {
    const verdicts = await this.#ask(PLAIN, hashes, at);
    try {
      if (!isWhole(verdicts)) await this.#askAboutRest(verdicts, hashes, at);
      if (!isWhole(verdicts)) {
        // A key without counters is neither admitted nor rejected, as nothing can be counted: it gets them and is decided about again.
        await this.#makeMissingCounters(hashes.filter((_, request) => verdicts[request] === undefined));
        await this.#askAboutRest(verdicts, hashes, at);
      }
      if (isWhole(verdicts)) return verdicts;
      throw new Error('cannot create the counters of a valid key');
    } catch (error) {
      // What is decided is counted, and must not be decided again.
      if (verdicts.every((verdict) => verdict === undefined)) throw error;
      const failure = asUnavailable(error) as Error;
      return verdicts.map((verdict) => verdict ?? failure);
    }
  }

  /** Asks the general statement about all that have no verdict yet; none have afterwards but those without counters. */
  async #askAboutRest(verdicts: Verdicts, hashes: readonly string[], at: Date | undefined): Promise<void> {
    const rest = hashes.filter((_, request) => verdicts[request] === undefined);
    const answers = (await this.#ask(this.#general, rest, at)).values();
    verdicts.forEach((verdict, request) => {
      verdicts[request] = verdict ?? answers.next().value;
    });
  }

  async #ask(way: Way, hashes: readonly string[], at: Date | undefined): Promise<Verdicts> {
    const requests = new Map<string, number>();
    for (const hash of hashes) requests.set(hash, (requests.get(hash) ?? 0) + 1);
    const secrets = [...requests.keys()];
    const values = [secrets, [...requests.values()], at?.toISOString() ?? null, ...way.parameters];
    const rows = parseAdmission(await runStatement<{ json: string }>(this.source, way, values));
    const verdictOf = new Map<string | undefined, () => KeyVerdict | undefined>();
    const keys = new Map<string, () => KeyVerdict>();
    for (const row of rows) {
      const [state, position, id, , nowMs] = row;
      const secret = secrets[position - 1];
      if (state === 'live') {
        // The secrets of a key share its limits.
        const next = keys.get(id) ?? this.#tallyOf(row);
        keys.set(id, next);
        verdictOf.set(secret, next);
      } else {
        const verdict = state === 'uncounted' ? undefined : { state, keyId: BigInt(id), nowMs };
        verdictOf.set(secret, () => verdict);
      }
    }
    return hashes.map((hash) => {
      const next = verdictOf.get(hash);
      return next === undefined ? way.otherwise : next();
    });
  }

  #tallyOf(row: AdmissionRow): () => KeyVerdict {
    const { clockWentBack, startsBan, next } = tallyOf(row);
    if (clockWentBack) this.options.onRepair?.({ kind: 'clock-went-back', keyId: BigInt(row[2]) });
    if (startsBan) this.options.onBanStarted?.();
    return next;
  }

  async #makeMissingCounters(hashes: readonly string[]): Promise<void> {
    const rows = await runStatement<{ keyId: string }>(this.source, MAKE_MISSING_COUNTERS, [hashes]);
    if (rows.length === 0) return;
    this.options.onRepair?.({ kind: 'counters-missing', keyIds: rows.map(({ keyId }) => BigInt(keyId)) });
  }
}

const MAKE_MISSING_COUNTERS = {
  name: 'make_missing_counters',
  // In the order of the keys, for two replicas may do it at once; the one that comes second finds nothing to do.
  text: `
    insert into api_key_counters (api_key_id)
    select distinct api_key_id
    from api_key_secrets
    where hash = any ($1::bytea[])
    order by api_key_id
    on conflict (api_key_id) do nothing
    returning api_key_id::text as "keyId"`,
};

const isWhole = (verdicts: Verdicts): verdicts is KeyVerdict[] => !verdicts.includes(undefined);
