import { env } from 'node:process';

/**
 * How many random cases a test tries: a quarter of them, so that `npm test` stays short; all where `TEST_CASES` is `all`, as in
 * `.ci/run`.
 */
export const cases = (all: number): number => (env['TEST_CASES'] === 'all' ? all : Math.ceil(all / 4));

/** A number from the environment of a test run. `NaN` would try nothing, and pass. */
export function numberFrom(variable: string, usual: number): number {
  const text = env[variable] ?? String(usual);
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${variable} must be a whole number above 0, not ${text}`);
  return Number(text);
}
