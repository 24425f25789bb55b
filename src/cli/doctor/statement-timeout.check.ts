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
  if (ms < statementTimeoutMs) {
    return warn(
      `${ms} ms is less than the service waits (DATABASE_STATEMENT_TIMEOUT_MS, ${statementTimeoutMs} ms): busy seconds answer 503 too early. Raise it for ${role}.`,
    );
  }
  return ok(`${ms} ms`);
};
