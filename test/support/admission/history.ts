import fc from 'fast-check';
import { type KeyWindow, WINDOWS } from '../../../src/auth/admission/windows.js';
import { numberFrom } from '../cases.js';
import type { Limits } from './model.js';

/**
 * The histories that are tried: by default a few thousand steps. By hand more, e.g. ADMISSION_HISTORIES=2000 for some
 * 60,000.
 */
export const HISTORIES = numberFrom('ADMISSION_HISTORIES', 80);

/** The clock and the steps. Keys, plans and secrets are numbers (see `AdmissionComparison`). */
export type Step =
  | { readonly do: 'request'; readonly secrets: readonly number[]; readonly isFormer: boolean }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'turn-clock-back'; readonly ms: number }
  | { readonly do: 'go-to'; readonly edge: Edge; readonly key: number; readonly offsetMs: number }
  | { readonly do: 'set-plan'; readonly plan: number; readonly limits: Limits }
  | { readonly do: 'set-key'; readonly key: number; readonly plan: number; readonly limits: Limits }
  | { readonly do: 'revoke'; readonly key: number; readonly revoked: boolean }
  | { readonly do: 'expire-key'; readonly key: number; readonly inMs: number }
  | { readonly do: 'expire-secret'; readonly secret: number; readonly inMs: number }
  | { readonly do: 'suspend'; readonly key: number; readonly inMs: number }
  | { readonly do: 'lift-bans'; readonly key: number; readonly inMs: number }
  | { readonly do: 'reset'; readonly key: number }
  | { readonly do: 'lose-counters'; readonly key: number }
  | { readonly do: 'raise-counts'; readonly key: number; readonly by: number };

/** Instants at which something of a key ends. */
export type Edge = KeyWindow | 'ban' | 'a day after the end of the ban' | 'suspension';

export const KEYS = 3;
/** The last plan is custom. */
export const PLANS = 3;
/** The first two secrets are of the first key, each other key has one; one more is unknown. */
export const SECRETS = KEYS + 1;
const UNKNOWN_SECRET = SECRETS;

const MINUTE_MS = 60_000;
const key = fc.nat(KEYS - 1);
const INT4_MAX = 2 ** 31 - 1;
/** Of each window, five times as much as of the shorter one. The highest comes with counts that are as high, see `raise-counts`. */
const limits = (isOwn: boolean): fc.Arbitrary<Limits> => {
  const of = WINDOWS.map(({ name, isRequired }, nth) => {
    const limit = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: isRequired ? 12 * 5 ** nth : 120 }) },
      { weight: 1, arbitrary: fc.constant(INT4_MAX) },
    );
    return [name, isOwn || !isRequired ? fc.option(limit) : limit] as const;
  });
  return fc.record(Object.fromEntries(of) as Record<KeyWindow, fc.Arbitrary<number | null>>);
};
/** A moment from now, some of them now or past; minus infinity is never before, infinity never. */
const soonMs = fc.oneof(fc.integer({ min: -2 * MINUTE_MS, max: 5 * MINUTE_MS }), fc.constantFrom(0, -1, 1));

const request = fc.record({
  do: fc.constant('request' as const),
  // Bursts of one secret among others: so limits are reached, and bans start in the middle of a group.
  secrets: fc
    .array(fc.tuple(fc.nat(UNKNOWN_SECRET), fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 5 })
    .map((bursts) => bursts.flatMap(([secret, times]) => Array<number>(times).fill(secret))),
  // By a replica of the release before, which knows fewer windows.
  isFormer: fc.nat(3).map((one) => one === 0),
});

const clock = fc.oneof(
  fc.record({
    do: fc.constant('wait' as const),
    ms: fc.oneof(fc.nat(MINUTE_MS), fc.nat(60 * MINUTE_MS), fc.nat(50 * 60 * MINUTE_MS)),
  }),
  fc.record({
    do: fc.constant('go-to' as const),
    edge: fc.constantFrom<Edge>(
      ...WINDOWS.map(({ name }) => name),
      WINDOWS[0].name,
      'ban',
      'ban',
      'a day after the end of the ban',
      'suspension',
    ),
    key,
    offsetMs: fc.constantFrom(-1, 0, 1),
  }),
  fc.record({
    do: fc.constant('turn-clock-back' as const),
    ms: fc.oneof(fc.nat(4 * MINUTE_MS), fc.constantFrom(2 * MINUTE_MS, 26 * 60 * MINUTE_MS)),
  }),
);

const operator = fc.oneof(
  fc.record({ do: fc.constant('set-plan' as const), plan: fc.nat(PLANS - 2), limits: limits(false) }),
  fc.record({
    do: fc.constant('set-key' as const),
    key,
    plan: fc.nat(PLANS - 1),
    limits: limits(true),
  }),
  fc.record({ do: fc.constant('revoke' as const), key, revoked: fc.boolean() }),
  fc.record({ do: fc.constant('expire-key' as const), key, inMs: fc.oneof(soonMs, fc.constant(Infinity)) }),
  fc.record({
    do: fc.constant('expire-secret' as const),
    secret: fc.nat(SECRETS - 1),
    inMs: fc.oneof(soonMs, fc.constant(Infinity)),
  }),
  fc.record({
    do: fc.constant('suspend' as const),
    key,
    inMs: fc.oneof(soonMs, fc.constantFrom(Infinity, -Infinity)),
  }),
  fc.record({ do: fc.constant('lift-bans' as const), key, inMs: soonMs }),
  fc.record({ do: fc.constant('reset' as const), key }),
  fc.record({ do: fc.constant('lose-counters' as const), key }),
  fc.record({
    do: fc.constant('raise-counts' as const),
    key,
    by: fc.constantFrom(INT4_MAX - 20, INT4_MAX, 2 ** 40),
  }),
);

/** Any history of requests, clock and operators, most of it requests, so that outcomes differ. */
export const history: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: request },
    { weight: 3, arbitrary: clock },
    { weight: 2, arbitrary: operator },
  ),
  { minLength: 1, maxLength: 80, size: 'max' },
);
