import type { Command } from 'commander';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { examine } from '../doctor/examine.js';
import type { Finding } from '../doctor/finding.js';
import { addExamples } from '../help.js';
import { printable, toJson } from '../output.js';
import { showProgress } from '../progress.js';

const NAME_WIDTH = 'statement_timeout'.length;

export function addDoctorCommand(program: Command, context: CliContext): void {
  const doctor = program
    .command('doctor')
    .description(
      'Looks at configuration, connection, version, migrations, roles, clock, time-outs, counters and inventory, and says what to do. ' +
        'It changes nothing, and exits with 1 when something fails.',
    )
    .option('--json', 'print an array of objects with check, level (ok, warn, fail) and message')
    .action(async ({ json }: { readonly json?: true }) => {
      const progress = showProgress(context, () => 'looking …');
      const findings = await examine(context).finally(() => progress.stop());
      context.print(json === true ? toJson(findings) : findings.map(line).join(''));
      const failed = findings.filter(({ level }) => level === 'fail').length;
      if (failed > 0) throw new CliError(`${failed} of ${findings.length} checks failed.`);
    });
  addExamples(doctor, 'petstore doctor', `petstore doctor --json | jq '.[] | select(.level != "ok")'`);
}

const line = ({ check, level, message }: Finding): string =>
  `${level.padEnd(4)}  ${check.padEnd(NAME_WIDTH)}  ${printable(message)}\n`;
