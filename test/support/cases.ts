import { env } from 'node:process';

/**
 * How many random cases a test tries: a quarter of them, so that `npm test` stays short; all where `TEST_CASES` is `all`, as in
 * `.ci/run`.
 */
export const cases = (all: number): number => (env['TEST_CASES'] === 'all' ? all : Math.ceil(all / 4));
