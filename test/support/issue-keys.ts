import type { Pool } from 'pg';
import { capitalized, type KeyWindow, WINDOWS } from '../../src/auth/admission/windows.js';

export interface TestKey {
  readonly id: bigint;
  readonly key: string;
}

/** Limits of a key, such as `perMinute`; those that are missing are the plan's. */
export type OwnLimits = Partial<Record<`per${Capitalize<KeyWindow>}`, number>>;

const PARTS = WINDOWS.map(({ name, isRequired }) => ({
  isRequired,
  argument: `per_${name}`,
  member: `per${capitalized(name)}` as const,
}));

/** More than a test sends: a million a minute, and ten times as many in each longer window. */
export const ROOMY: OwnLimits = Object.fromEntries(
  PARTS.filter(({ isRequired }) => isRequired).map(({ member }, nth) => [member, 1_000_000 * 10 ** nth]),
);

/** Those that are given and those that each plan has, which 1.1.0 knows, too. */
const partsOf = (own: OwnLimits): typeof PARTS =>
  PARTS.filter(({ isRequired, member }) => isRequired || own[member] !== undefined);

/** The arguments of the functions that take limits, from this parameter on. */
export const limitArguments = (first: number, own: OwnLimits): string =>
  partsOf(own)
    .map(({ argument }, nth) => `${argument} => $${first + nth}`)
    .join(', ');

/** Their values. */
export const limitValues = (own: OwnLimits): readonly (number | null)[] =>
  partsOf(own).map(({ member }) => own[member] ?? null);

/** Many keys in one statement, on a plan of the migrations; without numbers of their own theirs are the plan's. */
export async function issueKeys(
  pool: Pool,
  count: number,
  { plan = 'business', ...limits }: OwnLimits & { plan?: string } = {},
): Promise<readonly TestKey[]> {
  const { rows } = await pool.query<{ id: string; key: string }>(
    `select issued.id::text, issued.key
     from generate_series(1, $1) as n
     cross join lateral issue_api_key('test ' || n, $2, ${limitArguments(3, limits)}) as issued`,
    [count, plan, ...limitValues(limits)],
  );
  return rows.map(({ id, key }) => ({ id: BigInt(id), key }));
}
