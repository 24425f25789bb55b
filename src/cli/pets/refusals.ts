import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { CliError } from '../cli-error.js';

export interface Refusal {
  readonly line: number;
  readonly message: string;
}

/** A person mends these and tries again; whoever wants all gives a file for them. */
const TOLD_MAX = 100;

/** Collects the rows that were refused: the first ones to be told, all of them in a file if there is one. */
export class Refusals {
  readonly told: Refusal[] = [];
  readonly #file: WriteStream | undefined;
  #error: Error | undefined;

  constructor(path: string | undefined) {
    if (path === undefined) return;
    this.#file = createWriteStream(path);
    this.#file.on('error', (error) => (this.#error ??= error));
  }

  add(line: number, message: string): void {
    if (this.told.length < TOLD_MAX) this.told.push({ line, message });
    this.#file?.write(`${JSON.stringify({ line, message })}\n`);
  }

  /** Waits while the file is slower than the rows that are refused. */
  async keepUp(): Promise<void> {
    this.#check();
    if (this.#file?.writableNeedDrain === true) await once(this.#file, 'drain').catch(() => undefined);
    this.#check();
  }

  async close(): Promise<void> {
    if (this.#file === undefined) return;
    this.#check();
    this.#file.end();
    await finished(this.#file).catch(() => undefined);
    this.#check();
  }

  #check(): void {
    if (this.#error !== undefined) throw new CliError(`The report cannot be written: ${this.#error.message}`);
  }
}
