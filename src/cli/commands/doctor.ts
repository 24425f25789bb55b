import { ConfigError } from '../../config/config.js';
import { dataDirectory } from '../../database/embedded/data-directory.js';
import { CliError, explainError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import type { CliContext } from '../context.js';
import type { Result } from '../doctor/check.js';
import { CHECKS } from '../doctor/checks.js';
import { toJson } from '../output.js';
import { printable } from '../../monitoring/text.js';
import { inTransaction, type Session, withAnyDatabase } from '../session.js';

type Finding = Result & { readonly check: string };

const NAME_WIDTH = 'configuration'.length;

export const doctorCommand: CommandSpec = {
  usage: 'doctor',
  says: 'Checks the configuration and the database, and says how to fix each problem.',
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
      // A pooler accepts connections that its server does not.
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
