import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { migrate } from '../../database/migrations.js';
import { roleSettings } from '../../database/session-settings.js';
import { examples, type JsonOption } from '../arguments.js';
import { cannot, CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { splitPassword, toLibpqUrl } from '../libpq-url.js';
import { toJson } from '../output.js';
import { addRestoredCommand } from './db-restored.js';
import { databaseUrl, inTransaction, type Session, withAnyDatabase } from '../session.js';

export function addDbCommands(program: Command, context: CliContext): void {
  const db = program
    .command('db')
    .description('Migrate the database, grant roles, get the connection string.');

  db.command('url')
    .description(
      'Prints DATABASE_URL, or the connection string of the running embedded database, as a URL that psql accepts.',
    )
    .option('--no-password', 'without the password')
    .option('--json', 'print an object')
    .action(({ json, password }: JsonOption & { readonly password: boolean }) => {
      const whole = toLibpqUrl(databaseUrl(context));
      const url = password ? whole : splitPassword(whole).url;
      context.print(json === true ? toJson({ url }) : `${url}\n`);
    })
    .addHelpText('after', examples('petstore db url --no-password'));

  db.command('psql')
    .description(
      'Starts psql on that database. The password is in its environment, where other users of this machine cannot see it.',
    )
    .argument('[words...]', 'options and arguments of psql')
    .allowUnknownOption()
    .helpOption('--help', 'display help for command')
    .action((words: string[]) => runPsql(context, words))
    .addHelpText('after', examples('petstore db psql', 'petstore db psql -c "select * from plan_overview"'));

  db.command('migrate')
    .description("Applies this release's migrations. Safe to run on several machines at once.")
    .option('--json', 'print an object with an array of the applied migrations')
    .action(async ({ json }: JsonOption) => {
      const applied = await withAnyDatabase(context, (session) => applyMigrations(context, session));
      if (applied.length > 0) context.onCommit?.();
      if (json === true) context.print(toJson({ applied }));
      else context.print(applied.map((name) => `applied ${name}\n`).join('') || 'Already up to date.\n');
    })
    .addHelpText('after', examples('petstore db migrate'));

  db.command('roles')
    .description(
      'Creates the roles petstore_service, petstore_operator and petstore_support and grants them the rights they need. ' +
        'Run it as the owner of the tables or as a superuser, and again after each release with a migration.',
    )
    .option(
      '--revoke-unlisted',
      'take the rights that others have in this database away, unless the table wanted_rights lists them',
    )
    .option('--json', 'print an object with an array of warnings')
    .action(async ({ json, revokeUnlisted = false }: JsonOption & { readonly revokeUnlisted?: boolean }) => {
      const warnings = await withAnyDatabase(context, (session) =>
        grantRoles(context, session, revokeUnlisted),
      );
      context.onCommit?.();
      if (json !== true) for (const warning of warnings) context.printError(`${warning}\n`);
      context.print(
        json === true
          ? toJson({ roles: ROLES, warnings })
          : `${ROLES.join(', ')} have the rights they need.\n`,
      );
    })
    .addHelpText('after', examples('petstore db roles', 'petstore db roles --revoke-unlisted'));

  addRestoredCommand(db, context);
}

async function runPsql(context: CliContext, words: readonly string[]): Promise<void> {
  const { url, password } = splitPassword(toLibpqUrl(databaseUrl(context)));
  const environment = password === '' ? {} : { PGPASSWORD: password };
  const code = await context.run('psql', [url, ...words], environment).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new CliError('psql is not installed here.', 'Install the client programs of PostgreSQL.');
  });
  if (code !== 0) throw new CliError(`psql ended with ${code ?? 'a signal'}.`, undefined, code ?? undefined);
}

function applyMigrations(context: CliContext, { url }: Session): Promise<string[]> {
  const log = (message: string): void => context.printError(`${message}\n`);
  return migrate({ connectionString: url, log: { info: log } });
}

const ROLES = ['petstore_service', 'petstore_operator', 'petstore_support'];

/** The same from src/cli/commands and, compiled, from dist/cli/commands. */
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
