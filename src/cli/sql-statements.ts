import pg from 'pg';
import { CliError } from './cli-error.js';

/** What one statement answered, every value as the text that PostgreSQL writes. */
export type SqlResult = pg.QueryArrayResult<(string | null)[]>;

/** The values as they come; how they are shown is decided where they are. */
const asText: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** active_sql_transaction: a statement such as vacuum, which runs alone or not at all. */
const NOT_IN_TRANSACTION = '25001';

/**
 * Runs statements as one message: they are one transaction, unless they begin and commit themselves. The audit learns who
 * is at the command line by a statement before them.
 *
 * @throws CliError with the line that the database names
 */
export async function runStatements(
  client: pg.Client,
  actor: string,
  statements: string,
): Promise<readonly SqlResult[]> {
  const prelude = `select set_config('petstore.actor', ${pg.escapeLiteral(actor)}, true);`;
  try {
    return (await send(client, prelude + statements)).slice(1);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code !== NOT_IN_TRANSACTION) throw explained(error, statements, prelude.length);
  }
  try {
    return await send(client, statements);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? explained(error, statements, 0) : error;
  }
}

async function send(client: pg.Client, text: string): Promise<readonly SqlResult[]> {
  // Of several statements pg returns several results, which its types do not say.
  const answer: SqlResult | SqlResult[] = await client.query<(string | null)[]>({
    text,
    rowMode: 'array',
    types: asText,
  });
  return Array.isArray(answer) ? answer : [answer];
}

/** PostgreSQL counts characters from 1, where JavaScript's index would count some of them twice. */
function explained(error: pg.DatabaseError, statements: string, before: number): CliError {
  const position = Number(error.position) - before;
  const hint = error.hint ?? error.detail;
  if (!(position > 0) || !statements.includes('\n')) return new CliError(error.message, hint);
  const line = Array.from(statements)
    .slice(0, position - 1)
    .filter((character) => character === '\n').length;
  return new CliError(`line ${line + 1}: ${error.message}`, hint);
}
