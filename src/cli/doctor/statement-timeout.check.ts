import { type Check, ok, warn } from './finding.js';

/** What sessions of this role begin with; the checks themselves run without. */
export const checkStatementTimeout: Check['run'] = async ({ client, config, isEmbedded }) => {
  const { rows } = await client.query<{ ms: number; role: string }>(
    `select reset_val::int as ms, quote_ident(current_user) as role from pg_settings where name = 'statement_timeout'`,
  );
  const { ms = 0, role = '' } = rows[0] ?? {};
  const { statementTimeoutMs } = config.database;
  if (ms === 0) {
    const message = `none: the service waits ${statementTimeoutMs} ms (DATABASE_STATEMENT_TIMEOUT_MS), but the server goes on`;
    if (isEmbedded) return ok(message);
    return warn(
      `${message}. For the role that serves: alter role ${role} set statement_timeout = '${2 * statementTimeoutMs}ms'.`,
    );
  }
  if (ms < statementTimeoutMs) {
    return warn(
      `${ms} ms is less than the service waits (DATABASE_STATEMENT_TIMEOUT_MS, ${statementTimeoutMs} ms): busy seconds answer 503 too early. Raise it for ${role}.`,
    );
  }
  return ok(`${ms} ms`);
};
