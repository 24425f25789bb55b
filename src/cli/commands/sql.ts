import { text as readText } from 'node:stream/consumers';
import type { Command } from 'commander';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import { toJson } from '../output.js';
import { withAnyDatabase } from '../session.js';
import { resultForScripts, resultTable } from '../sql-output.js';
import { runStatements } from '../sql-statements.js';

export function addSqlCommand(program: Command, context: CliContext): void {
  const sql = program
    .command('sql')
    .description(
      'Runs SQL on the database, for where no psql is. Several statements are one transaction unless they say otherwise.',
    )
    .argument('<statements>', 'divided by semicolons; - reads them from standard input')
    .option('--json', 'print an array with an object for each statement: command, count, rows')
    .action(async (statements: string, { json }: { readonly json?: true }) => {
      const text = statements === '-' ? await readText(context.stdin) : statements;
      if (text.trim() === '') throw new UsageError('There is no statement to run.');
      const results = await withAnyDatabase(context, ({ client }) => {
        client.on('notice', ({ severity, message, hint }) => {
          context.complain(
            `${severity ?? 'NOTICE'}: ${message ?? ''}\n${hint === undefined ? '' : `${hint}\n`}`,
          );
        });
        return runStatements(client, context.actor, text);
      });
      context.print(
        json === true ? toJson(results.map(resultForScripts)) : results.map(resultTable).join('\n'),
      );
    });
  addExamples(
    sql,
    'petstore sql "select * from noisiest_api_keys"',
    `petstore sql "select * from issue_api_key(name => 'Acme web', plan => 'pro')"`,
    `petstore sql --json "select * from expiring_api_keys where expires_at < now() + interval '14 days'"`,
    'petstore sql - < report.sql',
  );
}
