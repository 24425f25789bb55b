import { ConfigError } from '../../config/config.js';
import { dataDirectory } from '../../database/embedded/data-directory.js';
import { CliError, explainError } from '../cli-error.js';
import { bind, type CommandSpec } from '../command.js';
import type { CliContext } from '../context.js';
import { serverTimeoutMs } from '../../database/session-settings.js';
import {
  type Check,
  checkClock,
  checkDisk,
  checkEncryption,
  checkMigrations,
  checkObjects,
  checkSettings,
  checkSnapshots,
  type Result,
} from '../doctor/program-checks.js';
import { SQL_CHECKS, type SqlCheck } from '../doctor/sql-checks.js';
import { toJson } from '../output.js';
import { printable } from '../../monitoring/text.js';
import { inTransaction, type Session, withAnyDatabase } from '../session.js';

type Finding = Result & { readonly check: string };

const NAME_WIDTH = 'configuration'.length;

export const doctorCommand: CommandSpec = {
  usage: 'doctor',
  says:
    'Checks the configuration and the database, and says how to fix each problem. Per check it prints level (ok, warn or fail), ' +
    'name and message; exit code 1 if one fails.',
  configure: (command) => command.summary('Check the configuration and the database.'),
  run: async (context, { json }) => {
    const findings = await examine(context);
    context.print(json === true ? toJson(findings) : findings.map(toLine).join(''));
    const failed = findings.filter(({ level }) => level === 'fail').length;
    if (failed > 0) throw new CliError(`${failed} of ${findings.length} checks failed.`);
  },
};

const toLine = ({ check, level, message }: Finding): string =>
  `${level.padEnd(4)}  ${check.padEnd(NAME_WIDTH)}  ${printable(message)}\n`;

const ask =
  ({ sql, ok = '', remedy = '' }: SqlCheck): Check =>
  async ({ client, isEmbedded, config }) => {
    const timeout = serverTimeoutMs(config.database.statementTimeoutMs);
    const { rows } = await client.query<Result>(bind(sql, { isEmbedded, timeout }));
    const { level, message } = rows[0] ?? { level: 'ok', message: ok };
    return { level, message: level === 'ok' ? message : `${message}${remedy}` };
  };

/** In the order in which they run. Roles need the tables, so migrations come before. */
const CHECKS: Readonly<Record<string, Check>> = {
  encryption: checkEncryption,
  version: ask(SQL_CHECKS.version),
  writes: ask(SQL_CHECKS.writes),
  clock: checkClock,
  settings: checkSettings,
  timeout: ask(SQL_CHECKS.timeout),
  durability: ask(SQL_CHECKS.durability),
  migrations: checkMigrations,
  objects: checkObjects,
  roles: ask(SQL_CHECKS.roles),
  rights: ask(SQL_CHECKS.rights),
  server: ask(SQL_CHECKS.server),
  ids: ask(SQL_CHECKS.ids),
  snapshots: checkSnapshots,
  bans: ask(SQL_CHECKS.bans),
  months: ask(SQL_CHECKS.months),
  future: ask(SQL_CHECKS.future),
  slots: ask(SQL_CHECKS.slots),
  disk: checkDisk,
};

/** Runs all checks. Without a usable configuration or a connection, reports that alone. */
async function examine(context: CliContext): Promise<readonly Finding[]> {
  try {
    context.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((message) => ({ check: 'configuration', level: 'fail', message }));
  }
  const findings: Finding[] = [{ check: 'configuration', level: 'ok', message: 'all variables are valid' }];
  try {
    await withAnyDatabase(context, async (session) => {
      // A pooler may accept connections without a server.
      await inTransaction(session.client, () => Promise.resolve());
      findings.push({ check: 'connection', level: 'ok', message: describeConnection(session, context) });
      const checkContext = { ...session, ...context, config: context.config() };
      for (const [check, run] of Object.entries(CHECKS)) {
        const result = await inTransaction(session.client, () => run(checkContext)).catch(toFailure);
        findings.push({ check, ...result });
        // The next checks need the tables.
        if (check === 'migrations' && result.level === 'fail') break;
      }
    });
  } catch (error) {
    findings.push({ check: 'connection', ...toFailure(error) });
  }
  return findings;
}

const toFailure = (error: unknown): Result => ({
  level: 'fail',
  message: explainError(error).text.trim().replaceAll('\n', ' '),
});

/** Without the password. */
const describeConnection = ({ client, isEmbedded }: Session, { config }: CliContext): string =>
  isEmbedded
    ? `embedded PostgreSQL in ${dataDirectory(config().database.dataDir)}`
    : `database ${client.database ?? ''} as ${client.user ?? ''} at ${client.host}:${client.port}`;
