import type { Command } from 'commander';
import { type CliContext, openForTool } from '../context.js';
import { toJson } from '../output.js';
import { migrate } from '../../database/migrations.js';

export function addDbCommands(program: Command, context: CliContext): void {
  const db = program.command('db').description('The schema of the database.');
  db.command('migrate')
    .description("Brings the database to this release's schema; any number may run at once.")
    .option('--json', 'print one object')
    .action(async ({ json }: { json?: true }) => {
      const opened = await openForTool(context, { migrates: false });
      try {
        const applied = await migrate({
          connectionString: opened.url,
          log: {
            info: (message) => context.complain(`${message}\n`),
            warn: (message) => context.complain(`${message}\n`),
          },
        });
        if (json === true) context.print(toJson({ applied }));
        else
          context.print(
            applied.length === 0
              ? 'Nothing to apply.\n'
              : `${applied.map((name) => `applied ${name}`).join('\n')}\n`,
          );
      } finally {
        await opened.close();
      }
    });
}
