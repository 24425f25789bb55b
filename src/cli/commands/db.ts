import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../database/migrations.js';
import { roleSettings } from '../../database/session-settings.js';
import { cannot, CliError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import type { CliContext } from '../context.js';
import { splitPassword, toLibpqUrl } from '../libpq-url.js';
import { toJson } from '../output.js';
import { restoredCommand } from './db-restored.js';
import { databaseUrl, inTransaction, type Session, withAnyDatabase } from '../session.js';

export const DB_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'url',
    says: 'Prints DATABASE_URL, or the connection string of the running embedded database, as a URL that psql accepts.',
    options: { '--no-password': 'without the password' },
    run: (context, { json, password }) => {
      const whole = toLibpqUrl(databaseUrl(context));
      const url = password === true ? whole : splitPassword(whole).url;
      context.print(json === true ? toJson({ url }) : `${url}\n`);
    },
    examples: ['db url --no-password'],
  },
  {
    usage: 'psql [words...]',
    says: 'Starts psql on that database. The password is in its environment, where other users of this machine cannot see it.',
    configure: (command) => command.allowUnknownOption().helpOption('--help', 'display help for command'),
    run: (context, { words }) => runPsql(context, words as readonly string[]),
    examples: ['db psql', 'db psql -c "select * from plan_overview"'],
  },
  {
    usage: 'migrate',
    says: "Applies this release's migrations. Safe to run on several machines at once.",
    run: async (context, { json }) => {
      const applied = await withAnyDatabase(context, ({ url }) =>
        migrate({ connectionString: url, log: { info: (message) => context.printError(`${message}\n`) } }),
      );
      if (applied.length > 0) context.onCommit?.();
      if (json === true) context.print(toJson({ applied }));
      else context.print(applied.map((name) => `applied ${name}\n`).join('') || 'Already up to date.\n');
    },
  },
  {
    usage: 'roles',
    says:
      'Creates the roles petstore_service, petstore_operator and petstore_support and grants them the rights they need. ' +
      'Run it as the owner of the tables or as a superuser, and again after each release with a migration.',
    options: {
      '--revoke-unlisted':
        'revoke the rights that others have in this database, unless the table wanted_rights lists them',
    },
    run: async (context, { json, revokeUnlisted }) => {
      const warnings = await withAnyDatabase(context, (session) =>
        grantRoles(context, session, revokeUnlisted === true),
      );
      context.onCommit?.();
      if (json === true) return context.print(toJson({ roles: ROLES, warnings }));
      for (const warning of warnings) context.printError(`${warning}\n`);
      context.print(`${ROLES.join(', ')} have the rights they need.\n`);
    },
    examples: ['db roles', 'db roles --revoke-unlisted'],
  },
  restoredCommand,
];

async function runPsql(context: CliContext, words: readonly string[]): Promise<void> {
  const { url, password } = splitPassword(toLibpqUrl(databaseUrl(context)));
  const environment = password === '' ? {} : { PGPASSWORD: password };
  const code = await context.run('psql', [url, ...words], environment).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new CliError('psql is not installed here.', 'Install the client programs of PostgreSQL.');
  });
  if (code !== 0) throw new CliError(`psql ended with ${code ?? 'a signal'}.`, undefined, code ?? undefined);
}

const ROLES = ['petstore_service', 'petstore_operator', 'petstore_support'];

/** Valid from src/cli/commands and, compiled, dist/cli/commands. */
const ROLES_FILE = fileURLToPath(new URL('../../../prisma/roles.sql', import.meta.url));

/** Runs prisma/roles.sql and returns its warnings. */
async function grantRoles(
  { config }: CliContext,
  { client }: Session,
  revokeUnlisted: boolean,
): Promise<string[]> {
  const script = await readFile(ROLES_FILE, 'utf8').catch(cannot('read', ROLES_FILE));
  const warnings: string[] = [];
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') warnings.push(message ?? '');
  });
  const { statement_timeout, lock_timeout } = roleSettings(config().database.statementTimeoutMs);
  await inTransaction(client, async () => {
    await client.query(
      `select set_config('petstore.statement_timeout', $1, true), set_config('petstore.lock_timeout', $2, true),
         set_config('petstore.revoke_unlisted', $3, true)`,
      [statement_timeout, lock_timeout, revokeUnlisted ? 'on' : 'off'],
    );
    await client.query(script);
  });
  return warnings;
}
