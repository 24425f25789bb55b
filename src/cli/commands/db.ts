import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describeFault } from '../../errors/describe-fault.js';
import { migrate, pendingMigrations } from '../../prisma/migrations.js';
import { examples, type JsonOption } from '../arguments.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { toJson } from '../output.js';
import { bar, showProgress } from '../progress.js';
import { type Session, withAnyDatabase, withDatabaseMade } from '../session.js';

export function addDbCommands(program: Command, context: CliContext): void {
  const db = program.command('db').description('The schema of the database, and who may use it.');
  db.command('migrate')
    .description("Brings the database to this release's schema; any number may run at once.")
    .option('--json', 'print one object')
    .action(async ({ json }: JsonOption) => {
      const applied = await withDatabaseMade(context, (session) => applyMigrations(context, session));
      if (json === true) context.print(toJson({ applied }));
      else context.print(applied.map((name) => `applied ${name}\n`).join('') || 'Nothing to apply.\n');
    })
    .addHelpText('after', examples('petstore db migrate'));

  db.command('roles')
    .description(
      'Makes the roles petstore_service and petstore_operator and grants them what they need and no more. ' +
        'For the owner of the tables or a superuser; may be repeated, and is to be after each release that migrates.',
    )
    .option('--json', 'print one object, with an array of warnings')
    .action(async ({ json }: JsonOption) => {
      const warnings = await withAnyDatabase(context, grantRoles);
      if (json !== true) for (const warning of warnings) context.complain(`${warning}\n`);
      context.print(
        json === true
          ? toJson({ roles: ROLES, warnings })
          : `${ROLES.join(' and ')} may do what they need.\n`,
      );
    })
    .addHelpText(
      'after',
      examples(
        'petstore db roles',
        `petstore sql "create role alice login password '…' in role petstore_operator"`,
      ),
    );
}

async function applyMigrations(context: CliContext, { client, url }: Session): Promise<string[]> {
  const complain = (message: string): void => context.complain(`${message}\n`);
  const pending = await pendingMigrations(client);
  let done = 0;
  const progress = showProgress(
    context,
    () =>
      `migrating ${bar(done, pending.length)}  ${pending[done] ?? 'waiting for another one who migrates'}`,
  );
  try {
    return await migrate({
      connectionString: url,
      onApplied: () => (done += 1),
      log: { info: complain, warn: complain },
    });
  } finally {
    progress.stop();
  }
}

const ROLES = ['petstore_service', 'petstore_operator'];

/** The same from src/cli/commands and, compiled, from dist/cli/commands. */
const ROLES_FILE = fileURLToPath(new URL('../../../prisma/roles.sql', import.meta.url));

/** Returns the warnings of the script. */
async function grantRoles({ client }: Session): Promise<string[]> {
  const script = await readFile(ROLES_FILE, 'utf8').catch((cause: unknown) => {
    throw new CliError(`The roles cannot be read: ${describeFault(cause)}`);
  });
  const warnings: string[] = [];
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING') warnings.push(message ?? '');
  });
  await client.query(script);
  return warnings;
}
