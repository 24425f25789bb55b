import { type Check, fail, ok, warn } from './finding.js';

/** What every change is tested on. */
const OLDEST = 15;
const NEWEST = 18;

export const checkVersion: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  const { number = 0, text = 'unknown' } = rows[0] ?? {};
  const major = Math.floor(number / 10_000);
  if (major < OLDEST) return fail(`PostgreSQL ${text} is too old: use ${OLDEST} to ${NEWEST}.`);
  if (major > NEWEST)
    return warn(`PostgreSQL ${text} is newer than what this release was tested on (${OLDEST} to ${NEWEST}).`);
  return ok(`PostgreSQL ${text}`);
};
