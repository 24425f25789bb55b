import { endsWithinQuotes } from './csv-fields.js';
import { type Line, LINE_BYTES_MAX } from './line-splitter.js';

const UNENDING = 'A value in quotes begins here and does not end.';

/** Joins the lines of CSV to rows, which go on over line ends within quotes. */
export class CsvRows {
  /** The lines so far of a row that is not at its end. */
  #open: Line[] = [];
  #openLength = 0;

  /** The rows that end with these lines. */
  join(lines: readonly Line[]): Line[] {
    const rows: Line[] = [];
    for (const line of lines) this.#take(line, rows);
    return rows;
  }

  /** What is open when the file ends. */
  end(): Line[] {
    const rows: Line[] = [];
    while (this.#open.length > 0) this.#giveUpFirst(rows);
    return rows;
  }

  #take(line: Line, rows: Line[]): void {
    if (this.#open.length === 0 && !line.text.includes('"')) {
      rows.push(line);
      return;
    }
    const isOpen = endsWithinQuotes(line.text, this.#open.length > 0);
    this.#open.push(line);
    this.#openLength += line.text.length;
    if (isOpen && this.#openLength > LINE_BYTES_MAX) this.#giveUpFirst(rows);
    else if (!isOpen) rows.push(this.#close());
  }

  #close(): Line {
    const [first = { number: 0, text: '' }] = this.#open;
    const text = this.#open.map((line) => line.text).join('\n');
    const fault = this.#open.find((line) => line.fault !== undefined)?.fault;
    this.#clear();
    return { number: first.number, text, ...(fault !== undefined && { fault }) };
  }

  /** Refuses the line alone whose quote is never closed, and reads the lines after it anew. */
  #giveUpFirst(rows: Line[]): void {
    const [first, ...others] = this.#open;
    this.#clear();
    if (first !== undefined) rows.push({ number: first.number, text: '', fault: UNENDING });
    for (const line of others) this.#take(line, rows);
  }

  #clear(): void {
    this.#open = [];
    this.#openLength = 0;
  }
}
