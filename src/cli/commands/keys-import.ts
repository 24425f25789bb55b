import { rm } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { type Info, parse } from 'csv-parse/sync';
import { type Client, DatabaseError } from 'pg';
import { describeError } from '../../errors/describe-error.js';
import { WINDOWS } from '../../auth/admission/windows.js';
import { CliError, UnknownOutcomeError, UsageError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import { createImportFile, type IssuedKey, writeImportFile } from '../import-file.js';
import { some, toJson } from '../output.js';
import { instant, positiveInteger } from '../placeholders.js';
import { changeDatabase, withDatabase } from '../session.js';
import { readText } from '../text-file.js';

/** `per_minute` and the others, as columns and as arguments. */
const LIMITS = WINDOWS.map(({ name }) => `per_${name}`);

export const importCommand: CommandSpec = {
  usage: 'import <file>',
  says:
    'Issues a key for each row of a table (CSV), all or none, and writes the keys to a new file that only you may read, before they are ' +
    `committed. Columns: name and plan; optional: customer, ${LIMITS.join(', ')}, expires, access (read or write).`,
  options: {
    '--to <file>': { says: 'the new file for the keys, which are stored nowhere else', isRequired: true },
  },
  configure: (command) =>
    ['--batch <rows>', '--resume'].map((flags) => command.addOption(new Option(flags).hideHelp())),
  run: async (context, { file, to, batch, resume, json }) => {
    const path = String(to);
    if (batch !== undefined || resume === true)
      throw new UsageError(
        'An import is one transaction since 2.0, so --batch and --resume were removed.',
        `To see whether the keys of an earlier file are live: petstore keys find ${path}`,
      );
    const table = await readTable(String(file));
    await withDatabase(context, ({ client }) => rejectUnknownPlans(client, table));
    const keys = await createImportFile(path);
    try {
      await changeDatabase(context, async (client) => {
        await writeImportFile(keys, path, await issue(client, table));
        return {};
      });
    } catch (error) {
      if (error instanceof UnknownOutcomeError)
        throw new CliError(
          error.message,
          `To see whether the keys of ${path} are live: petstore keys find ${path}`,
        );
      context.printError(`None of the keys in ${path} is live, so it is removed.\n`);
      await keys.close();
      await rm(path).catch((failure: Error) => context.printError(`${failure.message}\n`));
      throw error;
    }
    context.print(
      json === true ? toJson({ issued: table.length, file: path }) : `${table.length} keys issued: ${path}\n`,
    );
  },
  examples: ['keys import customers.csv --to keys.csv'],
};

interface TableRow {
  /** Its last line in the file. */
  readonly line: number;
  readonly name: string;
  /** The customer's id elsewhere. */
  readonly customer: string | null;
  readonly plan: string;
  /** In the order of `LIMITS`. */
  readonly limits: readonly (number | null)[];
  readonly expires: string | null;
  readonly access: string;
}

const COLUMNS: readonly string[] = ['name', 'customer', 'plan', ...LIMITS, 'expires', 'access'];

/** @throws CliError that names the first row and column that is wrong */
async function readTable(path: string): Promise<readonly TableRow[]> {
  const text = await readText(path);
  let titles: readonly string[] = [];
  const rows = readCsv(text, (read) => (titles = read));
  const unknown = titles.find((title) => !COLUMNS.includes(title));
  if (unknown !== undefined)
    throw new CliError(`${path} has a column "${unknown}".`, `The columns are ${COLUMNS.join(', ')}.`);
  const twice = titles.find((title, index) => titles.indexOf(title) < index);
  if (twice !== undefined) throw new CliError(`${path} has two columns "${twice}".`);
  for (const title of ['name', 'plan'])
    if (!titles.includes(title)) throw new CliError(`${path} has no column "${title}".`);
  return rows.map(({ record, info }) => toTableRow(record, info.lines));
}

/** By their columns. */
type Cells = Readonly<Record<string, string | undefined>>;

interface ReadRow {
  readonly record: Cells;
  readonly info: Pick<Info, 'lines'>;
}

function readCsv(text: string, onTitles: (titles: string[]) => void): readonly ReadRow[] {
  try {
    return parse<ReadRow, Cells>(text, {
      info: true,
      trim: true,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
      columns: (titles: string[]) => {
        onTitles(titles);
        return titles;
      },
    });
  } catch (error) {
    throw new CliError(`The table cannot be read: ${describeError(error)}`);
  }
}

function toTableRow(
  { name = '', customer = '', plan = '', expires, access, ...limits }: Cells,
  line: number,
): TableRow {
  const read = <Value>(
    column: string,
    text: string | undefined,
    parseText: (text: string) => Value,
  ): Value | null => {
    try {
      return text === undefined || text === '' ? null : parseText(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new CliError(`Line ${line}, column ${column}: ${error.message}`);
    }
  };
  const given = (column: string, text: string): string => {
    if (text !== '') return text;
    throw new CliError(`Line ${line}, column ${column}: it is empty.`);
  };
  return {
    line,
    name: given('name', name),
    customer: customer === '' ? null : customer,
    plan: given('plan', plan),
    limits: LIMITS.map((column) => read(column, limits[column], positiveInteger)),
    expires: read('expires', expires, instant)?.toISOString() ?? null,
    access: read('access', access, accessOf) ?? 'write',
  };
}

function accessOf(text: string): string {
  if (text === 'read' || text === 'write') return text;
  throw new InvalidArgumentError('It must be read or write.');
}

async function rejectUnknownPlans(client: Client, table: readonly TableRow[]): Promise<void> {
  const { rows } = await client.query<{ id: string }>('select id from plans');
  const plans = new Set(rows.map(({ id }) => id));
  const wrong = table.find(({ plan }) => !plans.has(plan));
  if (wrong !== undefined)
    throw new CliError(
      `Line ${wrong.line}, column plan: there is no plan "${wrong.plan}".`,
      'To list them: petstore plans list',
    );
}

/** Issues keys for rows, batched by equal terms. */
async function issue(client: Client, rows: readonly TableRow[]): Promise<readonly IssuedKey[]> {
  const groups = new Map<string, TableRow[]>();
  for (const row of rows) {
    const { line: _, name: __, customer: ___, ...terms } = row;
    const group = groups.get(JSON.stringify(terms));
    if (group === undefined) groups.set(JSON.stringify(terms), [row]);
    else group.push(row);
  }
  const issued: IssuedKey[] = [];
  for (const group of groups.values()) {
    const keys = await issueGroup(client, group);
    keys.forEach((key, index) => {
      const { line = 0, customer } = group[index] ?? {};
      issued.push(Object.assign(key, { line, customer }));
    });
  }
  return issued.toSorted((one, other) => one.line - other.line);
}

async function issueGroup(client: Client, group: readonly TableRow[]): Promise<readonly IssuedKey[]> {
  const [first] = group;
  try {
    const { rows } = await client.query<IssuedKey>(
      `select * from issue_customer_api_keys(
        $1, $2, plan => $3, expires => $4, access => $5, ${LIMITS.map((limit, nth) => `${limit} => $${nth + 6}`).join(', ')})`,
      [
        group.map(({ customer }) => customer),
        group.map(({ name }) => name),
        ...[first?.plan, first?.expires, first?.access, ...(first?.limits ?? [])],
      ],
    );
    return rows;
  } catch (error) {
    if (error instanceof DatabaseError)
      error.message = `${some(
        'line',
        group.map(({ line }) => String(line)),
      )}: ${error.message}`;
    throw error;
  }
}
