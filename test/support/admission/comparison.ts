import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type BanPolicy } from '../../../src/auth/admission/admission-statement.js';
import type { KeyDecision } from '../../../src/auth/admission/admission-statement.js';
import { type Edge, KEYS, PLANS, SECRETS, type Step } from './history.js';
import { AdmissionModel, type ModelKey, NOTHING_COUNTED } from './model.js';
import { type Counted, insertKey, insertPlan, insertSecret, readCounted, writeKey } from './rows.js';
import { WholeAdmissionStatement } from './whole-admission-statement.js';

/** The decisions of one side about a batch of requests, and its counts of each key. */
export interface Outcome {
  readonly decisions: readonly KeyDecision[];
  readonly counted: readonly Counted[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CUSTOM_PLAN = PLANS - 1;
/** The limits of a key on the custom plan when a history names none. */
const CUSTOM = { perMinute: 5, perDay: 20 };

type OperatorStep = Exclude<Step, { readonly do: 'request' | 'wait' | 'turn-clock-back' | 'go-to' }>;

/** The same keys and plans twice, in the database and in the model, at one clock; apart from those of other worlds. */
export class AdmissionComparison {
  readonly #name = `w${randomUUID()}`;
  readonly #pool: Pool;
  readonly #model: AdmissionModel;
  readonly #statement: WholeAdmissionStatement;
  readonly #keys: ModelKey[] = [];
  #nowMs: number;

  private constructor(pool: Pool, policy: BanPolicy, nowMs: number) {
    this.#pool = pool;
    this.#model = new AdmissionModel(policy);
    this.#statement = new WholeAdmissionStatement({ queryable: pool, named: true }, policy);
    this.#nowMs = nowMs;
  }

  static async create(pool: Pool, policy: BanPolicy, nowMs: number): Promise<AdmissionComparison> {
    const comparison = new AdmissionComparison(pool, policy, nowMs);
    // By the clock of the test a secret may not have expired yet.
    await pool.query('alter table api_key_secrets disable trigger api_key_secrets_not_revived');
    await pool.query('alter table api_keys disable trigger api_keys_not_lifted_later');
    for (let plan = 0; plan < PLANS; plan += 1) {
      await insertPlan(pool, comparison.#planId(plan), plan === CUSTOM_PLAN);
      if (plan !== CUSTOM_PLAN) await comparison.#setPlan(plan, 4 + plan, 15 + plan);
    }
    for (let key = 0; key < KEYS; key += 1) await comparison.#makeKey();
    for (let secret = 0; secret < SECRETS; secret += 1) await comparison.#makeSecret(secret);
    return comparison;
  }

  /** Takes one step on both sides; requests return the decisions of both. */
  async take(step: Step): Promise<{ readonly actual: Outcome; readonly expected: Outcome } | undefined> {
    if (step.do === 'request') {
      return await this.#request(step.secrets.map((secret) => this.#secretName(secret)));
    }
    if (step.do === 'wait') this.#nowMs += step.ms;
    else if (step.do === 'turn-clock-back') this.#nowMs -= step.ms;
    else if (step.do === 'go-to') this.#nowMs = this.#instantOf(step.edge, step.key) + step.offsetMs;
    else await this.#operate(step);
    return undefined;
  }

  async #request(
    secrets: readonly string[],
  ): Promise<{ readonly actual: Outcome; readonly expected: Outcome }> {
    const expected = secrets.map((secret) => this.#model.decide(secret, this.#nowMs));
    const actual = await this.#statement.decide(secrets.map(sha256), new Date(this.#nowMs));
    const ids = this.#keys.map(({ id }) => id);
    return {
      actual: { decisions: actual, counted: await readCounted(this.#pool, ids) },
      expected: { decisions: expected, counted: ids.map((id) => this.#countedByModel(id)) },
    };
  }

  async #operate(step: OperatorStep): Promise<void> {
    if (step.do === 'set-plan') return await this.#setPlan(step.plan, step.perMinute, step.perDay);
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
      const own = step.plan === CUSTOM_PLAN ? CUSTOM : { perMinute: null, perDay: null };
      key.planId = this.#planId(step.plan);
      key.ownPerMinute = step.perMinute ?? own.perMinute;
      key.ownPerDay = step.perDay ?? own.perDay;
    }
    await writeKey(this.#pool, key);
  }

  async #setPlan(plan: number, perMinute: number, perDay: number): Promise<void> {
    this.#model.plans.set(this.#planId(plan), { perMinute, perDay });
    await this.#pool.query('update plans set requests_per_minute = $2, requests_per_day = $3 where id = $1', [
      this.#planId(plan),
      perMinute,
      perDay,
    ]);
  }

  async #makeKey(): Promise<void> {
    const planId = this.#planId(0);
    const key: ModelKey = {
      id: await insertKey(this.#pool, planId),
      planId,
      ownPerMinute: null,
      ownPerDay: null,
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
    this.#model.counters.set(id, {
      ...known,
      minuteAdmitted: known.minuteAdmitted + by,
      minuteRefused: known.minuteRefused + by,
      dayAdmitted: known.dayAdmitted + by,
      dayRefused: known.dayRefused + by,
    });
    await this.#pool.query(
      `update api_key_counters
       set minute_admitted = minute_admitted + $2, minute_refused = minute_refused + $2,
           day_admitted = day_admitted + $2, day_refused = day_refused + $2
       where api_key_id = $1`,
      [id, by],
    );
  }

  #countedByModel(keyId: bigint): Counted {
    const days = [...(this.#model.usage.get(keyId) ?? [])].sort(([one], [other]) => one - other);
    return {
      counters: this.#model.counters.get(keyId) ?? NOTHING_COUNTED,
      usage: days.map(([dayMs, { admitted, refused }]) => [dayMs, admitted, refused]),
    };
  }

  /** Where the key has nothing that ends so, the clock stays. */
  #instantOf(edge: Edge, place: number): number {
    const { id, suspendedUntilMs } = this.#key(place);
    const ban = this.#model.counters.get(id)?.ban;
    const instants: Record<Edge, number | undefined> = {
      minute: (Math.floor(this.#nowMs / MINUTE_MS) + 1) * MINUTE_MS,
      day: (Math.floor(this.#nowMs / DAY_MS) + 1) * DAY_MS,
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
