import { stringify } from 'lossless-json';
import stringWidth from 'string-width';
import type { Row } from '../database/statement.js';
import type { CliContext } from './context.js';
import { printableLines, shown } from '../monitoring/text.js';

/** One JSON value for scripts, with every int64 exact. Control sequences are escaped. */
export const toJson = (value: unknown): string => `${printableLines(stringify(value, undefined, 2) ?? '')}\n`;

/** The same in one line. */
export const toJsonLine = (value: unknown): string => `${printableLines(stringify(value) ?? '')}\n`;

/** One JSON array of rows that are read one after another, as `toJson` writes it. */
export async function* toJsonArray(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rows) {
    // JSON strings have no newlines.
    yield `${separator}  ${toJson(row).trimEnd().replaceAll('\n', '\n  ')}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

export async function* mapped<From, To>(
  rows: AsyncIterable<From>,
  of: (row: From) => To,
): AsyncGenerator<To> {
  for await (const row of rows) yield of(row);
}

/** At most so many. */
export async function* first<Item>(items: AsyncIterable<Item>, max: number): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count === max) return;
  }
}

/** Flush size: avoids a system call per line and buffering a long output in memory. */
const FLUSH_SIZE = 65_536;

/** Prints parts of a text as they come. Ends when the reader has closed the output. */
export async function printAll({ print, printed }: CliContext, parts: AsyncIterable<string>): Promise<void> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length < FLUSH_SIZE) continue;
    print(text);
    text = '';
    await printed();
  }
  print(text);
}

/** How many subjects are listed. */
const LISTED_MAX = 5;

/** `key 7`, or `12 keys (1, 2, 3, 4, 5, …)`. */
export function some(kind: string, subjects: readonly string[]): string {
  const { length } = subjects;
  if (length === 1) return `${kind} ${subjects[0]}`;
  return `${length} ${kind}s (${subjects.slice(0, LISTED_MAX).join(', ')}${length > LISTED_MAX ? ', …' : ''})`;
}

/** Prints one row, as JSON with `--json`. */
export const printRow = ({ print }: CliContext, json: true | undefined, row: Row): void =>
  print(json === true ? toJson(row) : toFacts(row));

/** One name and value per line, for people. */
export function toFacts(facts: Row): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}\n`)
    .join('');
}

/**
 * Prints rows as a table that fits the terminal, or the text for no rows.
 *
 * @param columns `title`, `title=member` or `title=member/member`; with `?` at the end it is left out where no row has a value
 * @param numbers members that are numbers even if no row has a value, or if they are numeric strings
 */
export function printRows(
  context: CliContext,
  columns: readonly string[],
  rows: readonly Row[],
  empty: string,
  numbers: ReadonlySet<string> = new Set(),
): void {
  const isNumber = (member: string): boolean =>
    numbers.has(member) || rows.some((row) => ['number', 'bigint'].includes(typeof row[member]));
  const shownColumns = columns
    .map((column) => column.split('=') as [title: string, members?: string])
    .map(([title, members = title]) => ({ title, members: members.replace('?', '').split('/') }))
    .map(({ title, members }) => ({
      title: title.replace('?', ''),
      isOptional: title.endsWith('?'),
      isNumber: members.every(isNumber),
      cells: rows.map((row) => {
        const values = members.map((member) => shown(row[member]));
        return values.every((value) => value === '-') ? '-' : values.join('/');
      }),
    }))
    .filter(({ isOptional, cells }) => !isOptional || cells.some((cell) => cell !== '-'));
  const table = toTable(
    shownColumns,
    rows.map((_, index) => shownColumns.map(({ cells }) => cells[index] ?? '')),
    context.columns,
  );
  context.print(rows.length === 0 ? `${empty}\n` : table);
}

const GAP = '  ';

/** User-chosen names are truncated if a table is too wide for the terminal. */
const FREE_TEXT = new Set(['name', 'customer']);
/** They keep this width; then whole columns are left out. */
const TEXT_WIDTH_MIN = 12;

/**
 * Aligned columns below their titles, for people: numbers to the right. A table that is too wide for the terminal has its free text cut. If
 * that is not enough, the last columns are left out, and a line below names them.
 */
export function toTable(
  shownColumns: readonly { readonly title: string; readonly isNumber?: boolean }[],
  rows: readonly (readonly string[])[],
  maxWidth = Infinity,
): string {
  const titles = shownColumns.map(({ title }) => title);
  const columns = titles.map((_, index) => rows.map((row) => row[index] ?? ''));
  const widths = columns.map((cells, index) =>
    cells.reduce((width, cell) => Math.max(width, displayWidth(cell)), displayWidth(titles[index] ?? '')),
  );
  const excess = (): number =>
    widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - maxWidth;
  titles.forEach((title, index) => {
    const width = widths[index] ?? 0;
    if (FREE_TEXT.has(title) && excess() > 0)
      widths[index] = Math.min(width, Math.max(TEXT_WIDTH_MIN, width - excess()));
  });
  while (excess() > 0 && widths.length > 1) widths.pop();
  const line = (cells: readonly string[]): string =>
    `${widths
      .map((width, index) => {
        const cell = cutTo(width, cells[index] ?? '');
        const padding = ' '.repeat(width - displayWidth(cell));
        return shownColumns[index]?.isNumber === true ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd()}\n`;
  const hidden = titles.slice(widths.length);
  return [
    line(titles),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    hidden.length === 0 ? '' : `Not shown in a terminal this narrow: ${hidden.join(', ')}.\n`,
  ].join('');
}

/** Wraps text to a width, with an indent. Nothing is cut: a word longer than a line is broken. */
export function wrapped(text: string, indent: string, maxWidth = Infinity): string {
  const width = Math.max(TEXT_WIDTH_MIN, maxWidth - indent.length);
  const lines = [''];
  const append = (part: string): void => {
    const last = lines.at(-1) ?? '';
    if (displayWidth(last + part) <= width) lines[lines.length - 1] = last + part;
    else lines.push(part.trimStart());
  };
  for (const word of text.split(/(?<= )/)) {
    if (displayWidth(word) <= width) append(word);
    else for (const { segment } of graphemes.segment(word)) append(segment);
  }
  return lines.map((line) => `${indent}${line.trimEnd()}\n`).join('');
}

const graphemes = new Intl.Segmenter();

/** Cuts text to a display width, with an ellipsis. */
function cutTo(width: number, text: string): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The width of a text in a terminal, in columns. For ASCII, skip string-width, which takes 5 µs a cell. */
const displayWidth = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : stringWidth(text));
