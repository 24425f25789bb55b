import { Counter, type Registry } from 'prom-client';
import type { Decision } from '../../common/decision.js';
import type { ErrorCode } from '../../common/errors/error-codes.js';

/** Plans that have series of their own: a plan is a row, and anybody who may write one could make thousands. */
const PLANS_MAX = 50;

/** Where no live key was found. */
const NO_PLAN = 'none';

type Outcome = 'admitted' | 'limited' | 'banned' | 'revoked' | 'expired' | 'unknown' | 'undecided';

/** They stand at 0 from the start: a rate knows nothing of the first event of a series that appears with it. */
const OF_NO_PLAN: readonly Outcome[] = ['unknown', 'revoked', 'expired', 'undecided'];

const WINDOWS = ['minute', 'day', 'ban', 'address'] as const;

/** The outcome for each error code of a rejection. All others are failures to decide. */
const OUTCOMES: Partial<Record<ErrorCode, Outcome>> = {
  rate_limit_exceeded: 'limited',
  api_key_banned: 'banned',
  revoked_api_key: 'revoked',
  expired_api_key: 'expired',
  missing_api_key: 'unknown',
  invalid_api_key: 'unknown',
};

/** Counts admission's decisions by plan, and its rejections by window. */
export class AdmissionMetrics {
  readonly #admissions: Counter<'plan' | 'outcome'>;
  /** The series, for prom-client looks for one by its labels each time. `none` has its place whoever comes first. */
  readonly #byPlan = new Map<string, Map<Outcome, Counter.Internal>>([[NO_PLAN, new Map()]]);
  readonly #rejections: Counter<'window'>;
  readonly #bans: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#admissions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Admission decisions, by plan ("none" without a valid key) and outcome.',
      labelNames: ['plan', 'outcome'],
      registers,
    });
    for (const outcome of OF_NO_PLAN) this.#countOf(NO_PLAN, outcome).inc(0);
    this.#rejections = new Counter({
      name: 'petstore_rejections_total',
      help: 'Responses with status 429, by the limit that was exceeded.',
      labelNames: ['window'],
      registers,
    });
    for (const window of WINDOWS) this.#rejections.inc({ window }, 0);
    this.#bans = new Counter({
      name: 'petstore_bans_started_total',
      help: 'Bans started by this replica.',
      registers,
    });
  }

  banStarted(): void {
    this.#bans.inc();
  }

  /** A request for a public document has neither a key nor a rejection, and is not counted. */
  decided({ caller, rejection, rejectedBy }: Decision): void {
    if (rejection === undefined) {
      if (caller !== undefined) this.#countOf(caller.planId, 'admitted').inc();
      return;
    }
    const outcome = OUTCOMES[rejection.code] ?? 'undecided';
    this.#countOf(caller?.planId ?? NO_PLAN, outcome).inc();
    if (outcome === 'limited' || outcome === 'banned')
      this.#rejections.inc({ window: rejectedBy ?? 'address' });
  }

  #countOf(plan: string, outcome: Outcome): Counter.Internal {
    const name = this.#byPlan.has(plan) || this.#byPlan.size <= PLANS_MAX ? plan : 'other';
    let byOutcome = this.#byPlan.get(name);
    if (byOutcome === undefined) this.#byPlan.set(name, (byOutcome = new Map()));
    let count = byOutcome.get(outcome);
    if (count === undefined) {
      count = this.#admissions.labels(name, outcome);
      byOutcome.set(outcome, count);
    }
    return count;
  }
}
