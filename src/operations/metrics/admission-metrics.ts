import type { Registry } from 'prom-client';
import type { Decision } from '../../http/decision.js';
import type { ErrorCode } from '../../http/errors/error-codes.js';
import { type Count, Counts } from './count.js';

/** Plans that have series of their own: a plan is a row, and anybody who may write one could make thousands. */
const PLANS_MAX = 50;

/** Where no live key was found. */
const NO_PLAN = 'none';

type Outcome = 'admitted' | 'limited' | 'banned' | 'revoked' | 'expired' | 'unknown' | 'undecided';

/** They stand at 0 from the start: a rate knows nothing of the first event of a series that appears with it. */
const OF_NO_PLAN: readonly Outcome[] = ['unknown', 'revoked', 'expired', 'undecided'];

/** What a refusal says about the key. A fault of ours while deciding is "undecided", too: nobody knows the key's state. */
const OUTCOMES: Partial<Record<ErrorCode, Outcome>> = {
  rate_limit_exceeded: 'limited',
  api_key_banned: 'banned',
  revoked_api_key: 'revoked',
  expired_api_key: 'expired',
  missing_api_key: 'unknown',
  invalid_api_key: 'unknown',
};

/** What admission decided, by plan, and which window refused. */
export class AdmissionMetrics {
  readonly #admissions: Counts<'plan' | 'outcome'>;
  /** `none` has its place whoever comes first. */
  readonly #byPlan = new Map<string, Map<Outcome, Count>>([[NO_PLAN, new Map()]]);
  readonly #windows: Readonly<Record<'minute' | 'day' | 'ban' | 'address', Count>>;
  readonly #bans: Count;

  constructor(registry: Registry) {
    this.#admissions = new Counts(
      registry,
      'petstore_admissions_total',
      'Requests that need a key, by its plan ("none" where no key was found) and by what was decided.',
      ['plan', 'outcome'],
    );
    for (const outcome of OF_NO_PLAN) this.#countOf(NO_PLAN, outcome);
    const refusals = new Counts(registry, 'petstore_refusals_total', 'Answers 429, by what refused.', [
      'window',
    ]);
    this.#windows = {
      minute: refusals.of({ window: 'minute' }),
      day: refusals.of({ window: 'day' }),
      ban: refusals.of({ window: 'ban' }),
      address: refusals.of({ window: 'address' }),
    };
    const bans = new Counts(registry, 'petstore_bans_started_total', 'Bans that this replica started.', []);
    this.#bans = bans.of({});
  }

  banStarted(): void {
    this.#bans.value += 1;
  }

  /** Anybody may read a public document, which is no admission: then there is neither a key nor a refusal. */
  decided(decision: Decision): void {
    const { caller, refusal } = decision;
    if (refusal === undefined) {
      if (caller !== undefined) this.#countOf(caller.planId, 'admitted').value += 1;
      return;
    }
    const outcome = OUTCOMES[refusal.code] ?? 'undecided';
    this.#countOf(caller?.planId ?? NO_PLAN, outcome).value += 1;
    if (outcome === 'limited' || outcome === 'banned')
      this.#windows[refusingWindow(decision, outcome)].value += 1;
  }

  #countOf(plan: string, outcome: Outcome): Count {
    const name = this.#byPlan.has(plan) || this.#byPlan.size <= PLANS_MAX ? plan : 'other';
    let byOutcome = this.#byPlan.get(name);
    if (byOutcome === undefined) this.#byPlan.set(name, (byOutcome = new Map()));
    let count = byOutcome.get(outcome);
    if (count === undefined) {
      count = this.#admissions.of({ plan: name, outcome });
      byOutcome.set(outcome, count);
    }
    return count;
  }
}

/** Of two exhausted windows the day is what the client has to wait for. */
function refusingWindow(
  { caller, windows }: Decision,
  outcome: 'limited' | 'banned',
): 'minute' | 'day' | 'ban' | 'address' {
  if (caller === undefined) return 'address';
  if (outcome === 'banned') return 'ban';
  return windows.some(({ policy, remaining }) => policy === 'day' && remaining === 0) ? 'day' : 'minute';
}
