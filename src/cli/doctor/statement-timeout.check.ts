import { serverTimeoutMs } from '../../database/session-bounds.js';
import { type Check, ok, warn } from './finding.js';

/** What sessions of this role begin with; the checks themselves run without. */
export const checkStatementTimeout: Check['run'] = async ({ client, config }) => {
  const { rows } = await client.query<{ ms: number; role: string }>(
    `select reset_val::int as ms, quote_ident(current_user) as role from pg_settings where name = 'statement_timeout'`,
  );
  const { ms = 0, role = '' } = rows[0] ?? {};
  const { statementTimeoutMs } = config.database;
  if (ms === 0) {
    return ok(`that of the service, ${statementTimeoutMs} ms (DATABASE_STATEMENT_TIMEOUT_MS)`);
  }
  const fitting = serverTimeoutMs(statementTimeoutMs);
  const advice = `${fitting} ms fit the service, which gives a connection up after ${statementTimeoutMs} (DATABASE_STATEMENT_TIMEOUT_MS): set that for ${role}.`;
  if (ms < fitting) return warn(`${ms} ms: busy seconds answer 503 too early. ${advice}`);
  if (ms > fitting) {
    return warn(
      `${ms} ms: the service counts on less, and a write may commit after it was answered 503. ${advice}`,
    );
  }
  return ok(`${ms} ms`);
};
