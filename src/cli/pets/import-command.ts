import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { describeFault } from '../../database/describe-fault.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { toJson } from '../output.js';
import { bar, count, showProgress } from '../progress.js';
import { withDatabase } from '../session.js';
import { type Format, formatOf } from './format.js';
import { type ImportCounts, type ImportOptions, importPets } from './import-pets.js';
import { Refusals } from './refusals.js';

export interface ImportCommandOptions {
  readonly format?: Format;
  readonly skipInvalid?: true;
  readonly newIds?: true;
  readonly dryRun?: true;
  readonly report?: string;
  readonly json?: true;
}

/** `petstore pets import`. */
export async function importCommand(
  context: CliContext,
  file: string,
  options: ImportCommandOptions,
): Promise<void> {
  const format = options.format ?? formatOf(file);
  const refusals = new Refusals(options.report);
  const counts = await withSource(context, file, (source, describe) => {
    const wanted: ImportOptions = {
      source,
      format,
      skipsInvalid: options.skipInvalid === true,
      takesIds: options.newIds !== true,
      refuse: (line, message) => refusals.add(line, message),
      onProgress: (present) => {
        describe(present);
        return refusals.keepUp();
      },
    };
    if (options.dryRun === true) return importPets(wanted);
    return withDatabase(context, (database) => importPets({ ...wanted, database }));
  });
  await refusals.close();
  tell(context, options, counts, refusals);
}

/** Opens the file, shows how far it is read, and ends reading when the person wants no more. */
async function withSource(
  context: CliContext,
  file: string,
  work: (source: AsyncIterable<Buffer>, describe: (counts: ImportCounts) => void) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const { source, size } = await open(context, file);
  const startedMs = context.nowMs();
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  let counts: ImportCounts = { rows: 0, refused: 0, imported: 0 };
  const progress = showProgress(context, () => {
    const seconds = Math.max(1, context.nowMs() - startedMs) / 1000;
    const how = size === undefined ? '' : `${bar(bytes, size)}  `;
    const phase = size !== undefined && bytes >= size ? 'adding' : 'reading';
    return `${phase} ${how}${count(counts.rows)} rows, ${count(Math.round(counts.rows / seconds))}/s`;
  });
  const stopListening = context.onInterrupt(() =>
    source.destroy(new CliError('Given up: nothing was imported.')),
  );
  try {
    return await work(counted(), (present) => (counts = present));
  } finally {
    stopListening();
    progress.stop();
    source.destroy();
  }
}

async function open(
  { stdin }: CliContext,
  file: string,
): Promise<{ readonly source: Readable; readonly size: number | undefined }> {
  if (file === '-') return { source: stdin, size: undefined };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a directory');
    return {
      source: createReadStream(file),
      // A pipe has no size.
      size: found.isFile() ? found.size : undefined,
    };
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${describeFault(error)}`);
  }
}

function tell(
  { print, complain }: CliContext,
  { skipInvalid, dryRun, report, json }: ImportCommandOptions,
  counts: ImportCounts,
  { told }: Refusals,
): void {
  if (json === true) print(toJson({ ...counts, refusals: told }));
  else for (const { line, message } of told) complain(`line ${line}: ${message}\n`);
  const { rows, refused, imported } = counts;
  if (json !== true && refused > told.length) {
    const where = report === undefined ? 'give --report <file> to see all' : `all are in ${report}`;
    complain(`… and ${count(refused - told.length)} more: ${where}.\n`);
  }
  if (refused > 0 && skipInvalid !== true) {
    throw new CliError(
      `Nothing ${dryRun === true ? 'would be' : 'was'} imported: ${count(refused)} of ${count(rows)} rows were refused.`,
      'Mend them, or give --skip-invalid to add the others.',
    );
  }
  if (json === true) return;
  const besides =
    refused === 0 ? '' : `; ${count(refused)} rows ${dryRun === true ? 'would be' : 'were'} refused`;
  if (dryRun === true) print(`${count(rows - refused)} animals could be imported${besides}.\n`);
  else print(`Imported ${count(imported)} animals${besides}.\n`);
}
