import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { describeFault } from '../../errors/describe-fault.js';
import type { JsonOption } from '../arguments.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { toJson } from '../output.js';
import { bar, count, showProgress } from '../progress.js';
import { withDatabase } from '../session.js';
import type { Format } from './file-rows.js';
import { type ImportCounts, type ImportOptions, PetImport } from './import-pets.js';

export interface ImportCommandOptions extends JsonOption {
  readonly skipInvalid?: true;
  readonly newIds?: true;
  readonly dryRun?: true;
  readonly report?: string;
}

/** `petstore pets import`. */
export async function importCommand(
  context: CliContext,
  file: string,
  format: Format,
  options: ImportCommandOptions,
): Promise<void> {
  const rejections = await Rejections.open(options.report);
  let counts: ImportCounts;
  try {
    counts = await withSource(context, file, (source, setCounts) => {
      const importOptions: ImportOptions = {
        source,
        format,
        skipsInvalid: options.skipInvalid === true,
        takesIds: options.newIds !== true,
        reject: (line, message) => rejections.add(line, message),
        onProgress: (present) => {
          setCounts(present);
          return rejections.write();
        },
      };
      if (options.dryRun === true) return new PetImport(importOptions).run();
      return withDatabase(context, (database) => new PetImport({ ...importOptions, database }).run());
    });
  } finally {
    await rejections.close();
  }
  printOutcome(context, options, counts, rejections.first);
}

/** Opens the file, shows how far it is read, and stops reading on an interrupt. */
async function withSource(
  context: CliContext,
  file: string,
  work: (source: AsyncIterable<Buffer>, setCounts: (counts: ImportCounts) => void) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const { source, size } = await openSource(context, file);
  const startedMs = context.nowMs();
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  let rows = 0;
  const progress = showProgress(context, () => {
    const seconds = Math.max(1, context.nowMs() - startedMs) / 1000;
    const share = size === undefined ? '' : `${bar(bytes, size)}  `;
    const phase = size !== undefined && bytes >= size ? 'adding' : 'reading';
    return `${phase} ${share}${count(rows)} rows, ${count(Math.round(rows / seconds))}/s`;
  });
  const stopListening = context.onInterrupt(() =>
    source.destroy(new CliError('Given up: nothing was imported.')),
  );
  try {
    return await work(counted(), (counts) => (rows = counts.rows));
  } finally {
    stopListening();
    progress.stop();
    source.destroy();
  }
}

async function openSource(
  { stdin }: CliContext,
  file: string,
): Promise<{ readonly source: Readable; readonly size?: number }> {
  if (file === '-') return { source: stdin };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a directory');
    const source = createReadStream(file);
    // A pipe has no size.
    return found.isFile() ? { source, size: found.size } : { source };
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${describeFault(error)}`);
  }
}

interface Rejection {
  readonly line: number;
  readonly message: string;
}

/** As many as a person reads and fixes at once. */
const FIRST_MAX = 100;

/** Collects the rejected rows: the first ones in memory, all of them in the file of `--report`. */
class Rejections {
  readonly first: Rejection[] = [];
  #unwritten = '';

  private constructor(private readonly file: FileHandle | undefined) {}

  static async open(path: string | undefined): Promise<Rejections> {
    return new Rejections(path === undefined ? undefined : await open(path, 'w').catch(throwUnwritable));
  }

  add(line: number, message: string): void {
    if (this.first.length < FIRST_MAX) this.first.push({ line, message });
    if (this.file !== undefined) this.#unwritten += `${JSON.stringify({ line, message })}\n`;
  }

  async write(): Promise<void> {
    const text = this.#unwritten;
    this.#unwritten = '';
    if (text !== '') await this.file?.appendFile(text).catch(throwUnwritable);
  }

  async close(): Promise<void> {
    await this.write();
    await this.file?.close().catch(throwUnwritable);
  }
}

function throwUnwritable(error: Error): never {
  throw new CliError(`The report cannot be written: ${error.message}`);
}

function printOutcome(
  { print, complain }: CliContext,
  { skipInvalid, dryRun, report, json }: ImportCommandOptions,
  counts: ImportCounts,
  first: readonly Rejection[],
): void {
  const { rows, refused, imported } = counts;
  if (json === true) print(toJson({ ...counts, refusals: first }));
  else {
    for (const { line, message } of first) complain(`line ${line}: ${message}\n`);
    if (refused > first.length) {
      const where = report === undefined ? 'give --report <file> to see all' : `all are in ${report}`;
      complain(`… and ${count(refused - first.length)} more: ${where}.\n`);
    }
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
  print(
    dryRun === true
      ? `${count(rows - refused)} animals could be imported${besides}.\n`
      : `Imported ${count(imported)} animals${besides}.\n`,
  );
}
