import { stringify } from 'lossless-json';
import type { Client } from 'pg';
import { isDataError } from '../errors/database-errors.js';
import { isMark } from './audit-export.js';
import { CliError } from './cli-error.js';
import type { AuditEntry } from './restored-changes.js';
import { parseExact } from './session.js';
import { linesOf } from './text-file.js';

export type Place = Pick<AuditEntry, 'id' | 'changed_at'>;

export interface ReadExport {
  /** Lines that are no entries; the first hundred. */
  readonly faults: readonly string[];
  /** The last entry of the export, and when its last change was made. */
  readonly last: Place | undefined;
  readonly latest: string | undefined;
  /** The first entry that the database lacks. */
  readonly first: Place | undefined;
}

const FAULTS_MAX = 100;

/** Lines that one statement reads. */
const LINES = 2000;

const EXPORT = 'Such a file is written by: petstore audit --export';

/** The export has milliseconds, the audit log microseconds. */
const sameInstant = (one: string, other: string): string =>
  `date_trunc('milliseconds', ${one}) = date_trunc('milliseconds', ${other})`;

/** Adds the entries that the database does not have to `lacking`, each once. */
const READ_LINES = `
  with entry as materialized (
    select entry.*
    from unnest($1::jsonb[]) as line
    cross join lateral jsonb_populate_record(null::audit_log, line) as entry
  ), added as (
    insert into lacking
    select * from entry
    where not exists (
      select from audit_log as present
      where present.id = entry.id and ${sameInstant('present.changed_at', 'entry.changed_at')})
    on conflict (id, changed_at) do nothing)
  select id, changed_at, max(changed_at) over () as latest
  from entry
  order by id desc
  limit 1`;

/**
 * Reads an exported audit log: an object a line, or an array of objects. A line that is no entry, such as one that was not written to its
 * end, is left out, because other exports may contain it.
 *
 * @throws CliError if there are no entries, and something is wrong
 */
export async function readExport(client: Client, path: string): Promise<ReadExport> {
  await client.query(
    'create temporary table lacking (like audit_log, primary key (id, changed_at)) on commit drop',
  );
  const faults: string[] = [];
  let moreFaults = 0;
  const addFault = (fault: string): void => {
    if (faults.length < FAULTS_MAX) faults.push(fault);
    else moreFaults += 1;
  };
  let last: Place | undefined;
  let latest: string | undefined;
  const add = async (lines: readonly Line[]): Promise<void> => {
    const read = await inSavepoint(client, () =>
      client.query<Place & { readonly latest: string }>(READ_LINES, [lines.map(({ text }) => text)]),
    );
    if (read === undefined) {
      // One of them is no entry.
      if (lines.length > 1) for (const line of lines) await add([line]);
      else
        addFault(
          `${lines[0]?.where} is ${isJson(lines[0]?.text) ? 'not an entry of the audit log' : 'not JSON'}.`,
        );
      return;
    }
    const [row] = read.rows;
    if (row === undefined) return;
    if (last === undefined || row.id > last.id) last = row;
    if (latest === undefined || row.latest > latest) ({ latest } = row);
  };
  let batch: Line[] = [];
  for await (const { where, text } of entriesOf(path)) {
    if (text === undefined) addFault(`${where} is not UTF-8.`);
    else if (batch.push({ where, text }) === LINES) await add(batch.splice(0));
  }
  await add(batch);
  if (moreFaults > 0) faults.push(`and ${moreFaults} lines more`);
  if (last === undefined && faults[0] !== undefined) throw new CliError(faults[0], EXPORT);
  const { rows } = await client.query<Place>('select id, changed_at from lacking order by id limit 1');
  return { faults, last, latest, first: rows[0] };
}

interface Line {
  /** `Line 7`, or `The file`. */
  readonly where: string;
  readonly text: string;
}

/** Lines that may be entries, as they stand in the file: PostgreSQL reads them, with every number to its digit. */
async function* entriesOf(path: string): AsyncGenerator<Pick<Line, 'where'> & Partial<Line>> {
  let number = 0;
  let array: string[] | undefined;
  for await (const text of linesOf(path)) {
    number += 1;
    if (number === 1 && text?.startsWith('[') === true) array = [];
    if (text === undefined) yield { where: `Line ${number}` };
    else if (array !== undefined) array.push(text);
    else if (text.trim() !== '' && !isMark(text)) yield { where: `Line ${number}`, text };
  }
  if (array === undefined) return;
  // As petstore audit --json writes it.
  const text = array.join('\n');
  if (!isJson(text)) yield { where: 'The file', text };
  else
    for (const entry of parseExact(text) as unknown[])
      yield { where: 'The file', text: stringify(entry) ?? '' };
}

function isJson(text = ''): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Undefined where PostgreSQL rejected a value. */
async function inSavepoint<Result>(client: Client, work: () => Promise<Result>): Promise<Result | undefined> {
  await client.query('savepoint lines');
  try {
    const result = await work();
    await client.query('release savepoint lines');
    return result;
  } catch (error) {
    if (!isDataError(error)) throw error;
    await client.query('rollback to savepoint lines');
    return undefined;
  }
}
