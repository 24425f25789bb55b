import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type BanPolicy } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';
import { asFormerRelease } from './former-release.js';
import { type Edge, KEYS, PLANS, SECRETS, type Step } from './history.js';
import { WINDOWS } from '../../../src/auth/admission/windows.js';
import {
  AdmissionModel,
  COUNTED,
  counting,
  endOfMonth,
  type Limits,
  type ModelKey,
  NOTHING_COUNTED,
  ofWindows,
} from './model.js';
import {
  type Counted,
  insertKey,
  insertPlan,
  insertSecret,
  LIMITS_FROM_2,
  readCounted,
  writeKey,
} from './rows.js';
import { WholeAdmissionStatement } from './whole-admission-statement.js';

/** The decisions of one side about a batch of requests, and its counts of each key. */
export interface Outcome {
  readonly decisions: readonly KeyDecision[];
  readonly counted: readonly Counted[];
}

const DAY_MS = 86_400_000;
const CUSTOM_PLAN = PLANS - 1;
/** Of the shortest window, and of each longer one. */
const limitsFrom = (limit: number, more = 15): Limits => {
  let next = limit - more;
  return ofWindows(({ isRequired }) => ((next += more), isRequired ? next : null));
};

/** The limits of a key on the custom plan when a history names none. */
const CUSTOM = limitsFrom(5);

type OperatorStep = Exclude<Step, { readonly do: 'request' | 'wait' | 'turn-clock-back' | 'go-to' }>;

/** The same keys and plans twice, in the database and in the model, at one clock; apart from those of other worlds. */
export class AdmissionComparison {
  readonly #name = `w${randomUUID()}`;
  readonly #pool: Pool;
  readonly #model: AdmissionModel;
  readonly #statement: WholeAdmissionStatement;
  readonly #formerStatement: WholeAdmissionStatement;
  readonly #keys: ModelKey[] = [];
  #nowMs: number;

  private constructor(pool: Pool, policy: BanPolicy, nowMs: number) {
    this.#pool = pool;
    this.#model = new AdmissionModel(policy);
    this.#statement = new WholeAdmissionStatement({ queryable: pool, named: true }, policy);
    this.#formerStatement = new WholeAdmissionStatement(
      { queryable: asFormerRelease(pool), named: true },
      policy,
    );
    this.#nowMs = nowMs;
  }

  static async create(pool: Pool, policy: BanPolicy, nowMs: number): Promise<AdmissionComparison> {
    const comparison = new AdmissionComparison(pool, policy, nowMs);
    // By the clock of the test a secret may not have expired yet.
    await pool.query('alter table api_key_secrets disable trigger api_key_secrets_not_revived');
    await pool.query('alter table api_keys disable trigger api_keys_not_lifted_later');
    for (let plan = 0; plan < PLANS; plan += 1) {
      await insertPlan(pool, comparison.#planId(plan), plan === CUSTOM_PLAN);
      if (plan !== CUSTOM_PLAN) await comparison.#setPlan(plan, limitsFrom(4 + plan, 11));
    }
    for (let key = 0; key < KEYS; key += 1) await comparison.#makeKey();
    for (let secret = 0; secret < SECRETS; secret += 1) await comparison.#makeSecret(secret);
    return comparison;
  }

  /** Takes one step on both sides; requests return the decisions of both. */
  async take(step: Step): Promise<{ readonly actual: Outcome; readonly expected: Outcome } | undefined> {
    if (step.do === 'request') {
      return await this.#request(
        step.secrets.map((secret) => this.#secretName(secret)),
        step.isFormer,
      );
    }
    if (step.do === 'wait') this.#nowMs += step.ms;
    else if (step.do === 'turn-clock-back') this.#nowMs -= step.ms;
    else if (step.do === 'go-to') this.#nowMs = this.#instantOf(step.edge, step.key) + step.offsetMs;
    else await this.#operate(step);
    return undefined;
  }

  async #request(
    secrets: readonly string[],
    isFormer: boolean,
  ): Promise<{ readonly actual: Outcome; readonly expected: Outcome }> {
    const known = isFormer ? COUNTED : WINDOWS;
    const expected = secrets.map((secret) => this.#model.decide(secret, this.#nowMs, known));
    const statement = isFormer ? this.#formerStatement : this.#statement;
    const actual = await statement.decide(secrets.map(sha256), new Date(this.#nowMs));
    const ids = this.#keys.map(({ id }) => id);
    return {
      actual: { decisions: actual, counted: await readCounted(this.#pool, ids) },
      expected: { decisions: expected, counted: ids.map((id) => this.#countedByModel(id)) },
    };
  }

  async #operate(step: OperatorStep): Promise<void> {
    if (step.do === 'set-plan') return await this.#setPlan(step.plan, step.limits);
    if (step.do === 'expire-secret') return await this.#expireSecret(step.secret, this.#nowMs + step.inMs);
    const key = this.#key(step.key);
    if (step.do === 'lose-counters') return await this.#loseCounters(key);
    if (step.do === 'reset') return await this.#reset(key);
    if (step.do === 'raise-counts') return await this.#raiseCounts(key, step.by);
    if (step.do === 'revoke') key.revoked = step.revoked;
    else if (step.do === 'expire-key') key.expiresAtMs = this.#nowMs + step.inMs;
    else if (step.do === 'suspend') key.suspendedUntilMs = this.#nowMs + step.inMs;
    else if (step.do === 'lift-bans') key.bansLiftedAtMs = this.#nowMs + step.inMs;
    else {
      key.planId = this.#planId(step.plan);
      key.own = ofWindows(
        ({ name }) => step.limits[name] ?? (step.plan === CUSTOM_PLAN ? CUSTOM[name] : null),
      );
    }
    await writeKey(this.#pool, key);
  }

  async #setPlan(plan: number, limits: Limits): Promise<void> {
    this.#model.plans.set(this.#planId(plan), limits);
    await this.#pool.query(`update plans set ${LIMITS_FROM_2} where id = $1`, [
      this.#planId(plan),
      ...WINDOWS.map(({ name }) => limits[name]),
    ]);
  }

  async #makeKey(): Promise<void> {
    const planId = this.#planId(0);
    const key: ModelKey = {
      id: await insertKey(this.#pool, planId),
      planId,
      own: ofWindows(() => null),
      revoked: false,
      expiresAtMs: Infinity,
      suspendedUntilMs: -Infinity,
      bansLiftedAtMs: -Infinity,
      isResetDue: false,
    };
    this.#keys.push(key);
    this.#model.keys.set(key.id, key);
  }

  async #reset(key: ModelKey): Promise<void> {
    key.isResetDue = true;
    await this.#pool.query('select reset_api_key_usage($1)', [key.id]);
  }

  async #makeSecret(secret: number): Promise<void> {
    const keyId = this.#key(Math.max(0, secret - 1)).id;
    this.#model.secrets.set(this.#secretName(secret), { keyId, expiresAtMs: Infinity });
    await insertSecret(this.#pool, keyId, sha256(this.#secretName(secret)));
  }

  async #expireSecret(secret: number, expiresAtMs: number): Promise<void> {
    const name = this.#secretName(secret);
    const known = this.#model.secrets.get(name);
    if (known !== undefined) this.#model.secrets.set(name, { ...known, expiresAtMs });
    await this.#pool.query(
      'update api_key_secrets set expires_at = to_timestamp($2::float8 / 1000) where hash = $1',
      [sha256(name), expiresAtMs],
    );
  }

  async #loseCounters({ id }: ModelKey): Promise<void> {
    this.#model.counters.delete(id);
    await this.#pool.query('delete from api_key_counters where api_key_id = $1', [id]);
  }

  /** As many requests as no test can send. */
  async #raiseCounts({ id }: ModelKey, by: number): Promise<void> {
    const known = this.#model.counters.get(id);
    if (known === undefined) return;
    const raised = (count: number): number => count + by;
    this.#model.counters.set(id, counting(known, { admitted: raised, refused: raised }));
    const columns = COUNTED.flatMap(({ name }) => [`${name}_admitted`, `${name}_refused`]);
    await this.#pool.query(
      `update api_key_counters set ${columns.map((column) => `${column} = coalesce(${column}, 0) + $2`).join(', ')}
       where api_key_id = $1`,
      [id, by],
    );
  }

  #countedByModel(keyId: bigint): Counted {
    const days = [...(this.#model.usage.get(keyId) ?? [])].sort(([one], [other]) => one - other);
    return {
      counters: this.#model.counters.get(keyId) ?? NOTHING_COUNTED,
      usage: days.map(([dayMs, { admitted, refused }]) => [dayMs, admitted, refused]),
      isSumRight: true,
    };
  }

  /** Where the key has nothing that ends so, the clock stays. */
  #instantOf(edge: Edge, place: number): number {
    const { id, suspendedUntilMs } = this.#key(place);
    const ban = this.#model.counters.get(id)?.ban;
    const instants: Record<Edge, number | undefined> = {
      ...ofWindows(({ kind, seconds }) =>
        kind === 'summed'
          ? endOfMonth(this.#nowMs)
          : (Math.floor(this.#nowMs / (seconds * 1000)) + 1) * seconds * 1000,
      ),
      ban: ban?.untilMs,
      'a day after the end of the ban': ban ? ban.untilMs + DAY_MS : undefined,
      suspension: Number.isFinite(suspendedUntilMs) ? suspendedUntilMs : undefined,
    };
    return instants[edge] ?? this.#nowMs;
  }

  #key(place: number): ModelKey {
    const key = this.#keys[place];
    if (key === undefined) throw new RangeError(`there is no key ${place}`);
    return key;
  }

  #planId = (plan: number): string => `${this.#name}-${plan}`;

  #secretName = (secret: number): string => `${this.#name} ${secret}`;
}

const sha256 = (text: string): string => `\\x${createHash('sha256').update(text).digest('hex')}`;
