import { type FileHandle, open } from 'node:fs/promises';
import type { Client } from 'pg';
import { INT64_MAX } from '../database/int64.js';
import { cannot, CliError, UsageError } from './cli-error.js';
import { toJsonLine } from './output.js';
import type { Row } from '../database/statement.js';
import { parseExact, queryOne, streamRows } from './session.js';
import { linesOf } from './text-file.js';

/**
 * The last id exported, and the gaps before it: an open transaction may still commit them. It is the
 * last line of each export.
 */
interface Exported {
  readonly last: bigint;
  readonly missing: readonly Range[];
}

/** The first and the last number. */
type Range = readonly [bigint, bigint];

const MARK = '{"exported":';

/** Whether a line is an end mark and not an entry. */
export const isMark = (line: string): boolean => line.startsWith(MARK);

/** An export marks its end, so the last mark is near the end of a file. */
const TAIL = 65_536;

/** Appends the entries of the audit log that a file lacks. Returns their number. */
export async function exportAudit(client: Client, path: string): Promise<number> {
  if (path.startsWith('-'))
    throw new UsageError(
      '--export needs a file, which it appends to.',
      'For standard output: petstore audit --json-lines',
    );
  const file = await open(path, 'a+', 0o600).catch(cannot('write', path));
  try {
    if (!(await file.stat()).isFile()) throw new CliError(`${path} is not a regular file.`);
    const { last, missing } = (await lastMark(path, file)) ?? { last: 0n, missing: [] };
    await rejectRestored(client, last);
    const output = new Lines(file);
    // An interrupted export may have left a partial line.
    if (!(await endsWithLine(file))) await file.appendFile('\n');
    const still: Range[] = [];
    for (const [first, end] of missing) await output.addEntries(client, first, end, still);
    const newest = await output.addEntries(client, last + 1n, undefined, still);
    await output.end(toJsonLine({ exported: { last: newest, missing: still } satisfies Exported }));
    return output.entries;
  } catch (error) {
    if (error instanceof Error && 'errno' in error) cannot('write', path)(error);
    throw error;
  } finally {
    await file.close();
  }
}

async function lastMark(path: string, file: FileHandle): Promise<Exported | undefined> {
  const { size } = await file.stat();
  for (const start of size > TAIL ? [size - TAIL, 0] : [0]) {
    let mark: string | undefined;
    // Ignore a mark that was only partly written.
    for await (const line of linesOf(path, start))
      if (line !== undefined && isMark(line) && line.endsWith('}}')) mark = line;
    if (mark !== undefined) return (parseExact(mark) as { readonly exported: Exported }).exported;
  }
  return undefined;
}

async function endsWithLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read({ position: size - 1, length: 1 });
  return buffer.toString('latin1', 0, 1) === '\n';
}

/** Ids are reused after a restore without `petstore db restored`. */
async function rejectRestored(client: Client, last: bigint): Promise<void> {
  const { newest } = await queryOne<{ newest: bigint }>(
    client,
    'select coalesce(max(id), 0) as newest from audit_log',
  );
  if (newest < last)
    throw new CliError(
      `The file has entry ${last}, and the audit log ends with ${newest}: the database was restored.`,
      'Run petstore db restored, or export to a new file.',
    );
}

/** Batched, so that exports of any size fit in memory. */
class Lines {
  entries = 0;
  #lines: string[] = [];

  constructor(private readonly file: FileHandle) {}

  /**
   * Adds the entries from one number to another.
   *
   * @param missing gets the numbers between them that no entry has
   * @returns the number of the last one
   */
  async addEntries(
    client: Client,
    first: bigint,
    end: bigint | undefined,
    missing: Range[],
  ): Promise<bigint> {
    const rows = streamRows<Row & { readonly id: bigint }>(client, {
      text: 'select * from audit_log where id between $1 and $2 order by id',
      values: [first, end ?? INT64_MAX],
    });
    let next = first;
    for await (const row of rows) {
      if (row.id > next) missing.push([next, row.id - 1n]);
      next = row.id + 1n;
      this.entries += 1;
      if (this.#lines.push(toJsonLine(row)) >= 1000) await this.#flush();
    }
    if (end !== undefined && next <= end) missing.push([next, end]);
    return next - 1n;
  }

  async end(mark: string): Promise<void> {
    this.#lines.push(mark);
    await this.#flush();
    await this.file.datasync();
  }

  async #flush(): Promise<void> {
    await this.file.appendFile(this.#lines.splice(0).join(''));
  }
}
