import type { Command } from 'commander';
import { DatabaseError } from 'pg';
import { ConfigError } from '../../config/config.js';
import { examples, type JsonOption } from '../arguments.js';
import { CliError, explainError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import type { Check, CheckContext, Result } from '../doctor/check.js';
import { checkCounters, checkInventory, checkMigrations, checkRoles } from '../doctor/schema-checks.js';
import {
  checkClock,
  checkDurability,
  checkEncoding,
  checkSettings,
  checkStatementTimeout,
  checkVersion,
  checkWrites,
} from '../doctor/server-checks.js';
import { printable, toJson } from '../output.js';
import { showProgress } from '../progress.js';
import { type Session, withAnyDatabase } from '../session.js';

interface Finding extends Result {
  readonly check: string;
}

/** After the configuration and the connection, in this order. */
const CHECKS: readonly { readonly name: string; readonly run: Check; readonly needsSchema?: true }[] = [
  { name: 'version', run: checkVersion },
  { name: 'writes', run: checkWrites },
  { name: 'encoding', run: checkEncoding },
  { name: 'migrations', run: checkMigrations },
  { name: 'roles', run: checkRoles, needsSchema: true },
  { name: 'clock', run: checkClock },
  { name: 'settings', run: checkSettings },
  { name: 'statement_timeout', run: checkStatementTimeout },
  { name: 'durability', run: checkDurability },
  { name: 'counters', run: checkCounters, needsSchema: true },
  { name: 'inventory', run: checkInventory, needsSchema: true },
];

const NAME_WIDTH = 'statement_timeout'.length;

export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description(
      'Looks at configuration, connection, version, migrations, roles, clock, time-outs, counters and inventory, and says what to do. ' +
        'It changes nothing, and exits with 1 when something fails.',
    )
    .option('--json', 'print an array of objects with check, level (ok, warn, fail) and message')
    .action(async ({ json }: JsonOption) => {
      const progress = showProgress(context, () => 'looking …');
      const findings = await examine(context).finally(() => progress.stop());
      context.print(json === true ? toJson(findings) : findings.map(toLine).join(''));
      const failed = findings.filter(({ level }) => level === 'fail').length;
      if (failed > 0) throw new CliError(`${failed} of ${findings.length} checks failed.`);
    })
    .addHelpText(
      'after',
      examples('petstore doctor', `petstore doctor --json | jq '.[] | select(.level != "ok")'`),
    );
}

const toLine = ({ check, level, message }: Finding): string =>
  `${level.padEnd(4)}  ${check.padEnd(NAME_WIDTH)}  ${printable(message)}\n`;

/** Runs the checks, except those that an earlier finding makes impossible. */
async function examine(context: CliContext): Promise<readonly Finding[]> {
  try {
    context.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((message) => ({ check: 'configuration', level: 'fail', message }));
  }
  const findings: Finding[] = [
    { check: 'configuration', level: 'ok', message: 'every variable that is set can be used' },
  ];
  try {
    await withAnyDatabase(context, async (session) => {
      findings.push({ check: 'connection', level: 'ok', message: where(session, context) });
      let hasSchema = true;
      for (const { name, run, needsSchema } of CHECKS) {
        if (needsSchema === true && !hasSchema) continue;
        const result = await runCheck(run, { ...session, ...context, config: context.config() });
        findings.push({ check: name, ...result });
        if (name === 'migrations' && result.level === 'fail') hasSchema = false;
      }
    });
  } catch (error) {
    findings.push({ check: 'connection', level: 'fail', message: oneLine(error) });
  }
  return findings;
}

/** insufficient_privilege */
const NOT_ALLOWED = '42501';

async function runCheck(run: Check, context: CheckContext): Promise<Result> {
  const { client } = context;
  try {
    // The timeouts of a role are for requests; counting millions takes longer.
    await client.query('begin read only; set local statement_timeout = 0');
    const result = await run(context);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (error instanceof DatabaseError && error.code === NOT_ALLOWED) {
      return { level: 'warn', message: `${error.message}: look as the owner of the tables.` };
    }
    return { level: 'fail', message: oneLine(error) };
  }
}

const oneLine = (error: unknown): string => explainError(error).text.trim().replaceAll('\n', ' ');

/** Without the password. */
function where({ client, isEmbedded }: Session, { config }: CliContext): string {
  if (isEmbedded) return `the embedded PostgreSQL in ${config().database.dataDir}`;
  const { user = '', host, port, database = '' } = client;
  return `database ${database} as ${user} at ${host}:${port}`;
}
