import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { LosslessNumber, parse } from 'lossless-json';
import pg from 'pg';
import { examples, type JsonOption } from '../arguments.js';
import { CliError, UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { printable, right, type Row, toJson, toTable } from '../output.js';
import { actorSetting, withAnyDatabase } from '../session.js';

export function addSqlCommand(program: Command, context: CliContext): void {
  program
    .command('sql')
    .description(
      'Runs SQL on the database, for where no psql is. Several statements are one transaction unless they say otherwise.',
    )
    .argument('<statements>', 'divided by semicolons; - reads them from standard input')
    .option('--json', 'print an array with an object for each statement: command, count, rows')
    .action(async (statements: string, { json }: JsonOption) => {
      const text = statements === '-' ? await readText(context.stdin) : statements;
      if (text.trim() === '') throw new UsageError('There is no statement to run.');
      const results = await withAnyDatabase(context, ({ client }) => {
        client.on('notice', ({ severity = 'NOTICE', message = '', hint }) =>
          context.complain(`${severity}: ${message}\n${hint === undefined ? '' : `${hint}\n`}`),
        );
        return runStatements(client, context.actor, text);
      });
      context.print(json === true ? toJson(results.map(forScripts)) : results.map(forPeople).join('\n'));
    })
    .addHelpText(
      'after',
      examples(
        'petstore sql "select * from noisiest_api_keys"',
        `petstore sql "select * from issue_api_key(name => 'Acme web', plan => 'pro')"`,
        `petstore sql --json "select * from expiring_api_keys where expires_at < now() + interval '14 days'"`,
        'petstore sql - < report.sql',
      ),
    );
}

/** The result of one statement, with every value as the text that PostgreSQL writes. */
type SqlResult = pg.QueryArrayResult<(string | null)[]>;

const asText: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** active_sql_transaction: a statement such as vacuum, which cannot share a transaction. */
const NOT_IN_TRANSACTION = '25001';

/**
 * Runs statements as one message, which makes them one transaction unless they begin and commit themselves. A statement
 * before them names the actor to the audit.
 *
 * @throws CliError with the line that the database names
 */
async function runStatements(
  client: pg.Client,
  actor: string,
  statements: string,
): Promise<readonly SqlResult[]> {
  const prelude = `${actorSetting(actor)};`;
  try {
    return (await send(client, prelude + statements)).slice(1);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code !== NOT_IN_TRANSACTION) throw withLine(error, statements, prelude.length);
  }
  try {
    return await send(client, statements);
  } catch (error) {
    throw error instanceof pg.DatabaseError ? withLine(error, statements, 0) : error;
  }
}

async function send(client: pg.Client, text: string): Promise<readonly SqlResult[]> {
  // pg returns several results for several statements, which its types do not say.
  const result: SqlResult | SqlResult[] = await client.query({ text, rowMode: 'array', types: asText });
  return Array.isArray(result) ? result : [result];
}

function withLine(error: pg.DatabaseError, statements: string, before: number): CliError {
  const position = Number(error.position) - before;
  const hint = error.hint ?? error.detail;
  if (!(position > 0) || !statements.includes('\n')) return new CliError(error.message, hint);
  // PostgreSQL counts characters from 1; an index of JavaScript counts some of them twice.
  const line = Array.from(statements)
    .slice(0, position - 1)
    .filter((character) => character === '\n').length;
  return new CliError(`line ${line + 1}: ${error.message}`, hint);
}

const { BOOL, INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC, JSON: JSON_TEXT, JSONB } = pg.types.builtins;

const NUMBERS: ReadonlySet<number> = new Set([INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC]);

/** The rows of a statement as a table, or its command tag. */
function forPeople({ command, rowCount, fields, rows }: SqlResult): string {
  if (fields.length === 0) return `${command}${rowCount === null ? '' : ` ${rowCount}`}\n`;
  const table = toTable(
    fields.map(({ name, dataTypeID }) =>
      NUMBERS.has(dataTypeID) ? right(printable(name)) : printable(name),
    ),
    rows.map((row) => row.map((value) => printable(value ?? ''))),
  );
  return `${table}(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`;
}

/** Numbers, booleans and JSON as such and to the digit; everything else as PostgreSQL writes it. */
function forScripts({ command, rowCount, fields, rows }: SqlResult): Row {
  // Columns of one name, as of a join, would overwrite each other.
  const times = new Map<string, number>();
  const names = fields.map(({ name }) => {
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    return nth === 1 ? name : `${name}_${nth}`;
  });
  return {
    command,
    count: rowCount,
    rows: rows.map((row) =>
      Object.fromEntries(row.map((value, index) => [names[index], typed(value, fields[index]?.dataTypeID)])),
    ),
  };
}

function typed(value: string | null, oid: number | undefined): unknown {
  if (value === null) return null;
  if (oid === BOOL) return value === 't';
  if (oid === JSON_TEXT || oid === JSONB)
    return parse(value, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  // JSON has no NaN and no Infinity.
  return oid !== undefined && NUMBERS.has(oid) && /^-?\d/.test(value) ? new LosslessNumber(value) : value;
}
