import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { PET_STATUSES } from '../../pets/pet.js';
import { examples } from '../arguments.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import type { ExportCommandOptions } from '../pets/export-command.js';
import type { Format } from '../pets/file-rows.js';
import type { ImportCommandOptions } from '../pets/import-command.js';

const FORMATS: readonly Format[] = ['ndjson', 'csv'];

const HOW_IT_IS_DONE = `
Files:
  NDJSON  one animal a line, as POST /v1/pets takes it: {"name":"Rex","categoryId":7,"status":"available"}
  CSV     with a first line that names the columns: name,categoryId,status (status may be empty or left out)
  Either every animal has an id or none has. An id is kept, and must not be taken.

One transaction: nothing is there until everything is, and a file with a refused row leaves nothing.
What a big one costs others: nobody waits, and the inventory changes at once, at the end. But until then, and until
autovacuum has cleaned up after one that was given up, who reads the last page of the animals passes over all that
is not there; and it takes disk and write-ahead log. Import millions when it is quiet, or in several files.
`;

export function addPetsCommands(program: Command, context: CliContext): void {
  const pets = program.command('pets').description('Whole stock lists: millions of animals in and out.');
  pets
    .command('import')
    .description(
      'Adds the animals of a file, by the rules of POST /v1/pets, and tells which lines were refused and why.',
    )
    .argument('<file>', 'with the name .ndjson, .jsonl or .csv; - is standard input')
    .addOption(new Option('--format <format>', 'unless the name tells').choices(FORMATS))
    .option('--skip-invalid', 'leave refused rows out and add the others')
    .option('--new-ids', 'ignore the ids of the file and give new ones')
    .option('--dry-run', 'only look: tell what would be refused, without the ids that are taken')
    .option('--report <file>', 'write every refused line there, as NDJSON; without it the first 100 are told')
    .option('--json', 'print one object')
    .addHelpText('after', HOW_IT_IS_DONE.trimEnd())
    .action(async (file: string, options: ImportCommandOptions & { readonly format?: Format }) => {
      const format = options.format ?? formatOf(file);
      const { importCommand } = await import('../pets/import-command.js');
      await importCommand(context, file, format, options);
    })
    .addHelpText(
      'after',
      examples(
        'petstore pets import stock.csv',
        'petstore pets import stock.ndjson --skip-invalid --report refused.ndjson',
        'zcat stock.csv.gz | petstore pets import - --format csv',
      ),
    );

  pets
    .command('export')
    .description(
      'Writes the animals by ascending id, as they are at one instant, in a form that import reads.',
    )
    .addOption(new Option('--format <format>').choices(FORMATS).default('ndjson'))
    .addOption(new Option('--status <status>', 'only animals of this status').choices(PET_STATUSES))
    .addOption(new Option('--json', 'as --format ndjson').implies({ format: 'ndjson' }))
    .action(async (options: ExportCommandOptions) => {
      const { exportCommand } = await import('../pets/export-command.js');
      await exportCommand(context, options);
    })
    .addHelpText(
      'after',
      examples(
        'petstore pets export > pets.ndjson',
        'petstore pets export --format csv --status sold | gzip > sold.csv.gz',
      ),
    );
}

/** @throws UsageError */
function formatOf(file: string): Format {
  switch (extname(file).toLowerCase()) {
    case '.ndjson':
    case '.jsonl':
      return 'ndjson';
    case '.csv':
      return 'csv';
    default:
      throw new UsageError(
        `The name ${file} does not tell the format.`,
        'Give --format ndjson or --format csv.',
      );
  }
}
