import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { violatedConstraint } from '../../prisma/database-errors.js';
import { movePetsSequence } from './pets-sequence.js';
import type { PetRow } from './read-pets.js';

/** Pets with identifiers are gathered in a table of this session, to be compared with the pets that are there. */
const GATHERING = {
  prepare: `create temporary table imported_pets
              (id bigint not null, line bigint not null, name text not null, category_id bigint not null, status pet_status)
            on commit drop`,
  copy: 'copy imported_pets (id, line, name, category_id, status) from stdin',
};
const ADDING = { copy: 'copy pets (name, category_id, status) from stdin' };

/** Rejected rows that are read at a time, so that any number needs constant memory. */
const TAKEN_PAGE_SIZE = 1000;

interface WriterOptions {
  readonly hasIds: boolean;
  /** Whether pets whose identifiers are taken are left out; otherwise nothing is added. */
  readonly skipsTaken: boolean;
  readonly reject: (line: number, fault: string) => void;
}

/** Adds pets by COPY, in a transaction of its own. */
export class PetWriter {
  readonly #copy: ReturnType<typeof copyFrom>;
  #error: Error | undefined;

  private constructor(
    private readonly client: Client,
    private readonly url: string,
    private readonly options: WriterOptions,
  ) {
    this.#copy = client.query(copyFrom((options.hasIds ? GATHERING : ADDING).copy));
    this.#copy.on('error', (error) => (this.#error ??= error));
  }

  static async open(client: Client, url: string, options: WriterOptions): Promise<PetWriter> {
    await client.query('begin');
    try {
      // The timeouts of a role are for requests; a slow file is no failure.
      await client.query(
        'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0',
      );
      if (options.hasIds) await client.query(GATHERING.prepare);
      return new PetWriter(client, url, options);
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when more may be sent. */
  async write(rows: readonly PetRow[]): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    if (!this.#copy.write(rows.map(copyRow).join(''))) await once(this.#copy, 'drain');
  }

  /** Commits, and resolves to the number of pets that were added. */
  async finish(): Promise<number> {
    if (this.#error !== undefined) throw this.#error;
    this.#copy.end();
    await finished(this.#copy);
    const added = this.options.hasIds ? await this.#addGathered() : this.#copy.rowCount;
    await this.client.query('commit');
    return added;
  }

  /** Leaves nothing behind. Never fails: a lost connection leaves nothing, either. */
  async abandon(): Promise<void> {
    if (!this.#copy.writableFinished && !this.#copy.destroyed && this.#error === undefined) {
      this.#copy.destroy(new Error('the import was given up'));
      await once(this.#copy, 'close').catch(() => undefined);
    }
    await this.client.query('rollback').catch(() => undefined);
  }

  /** Adds the gathered pets, and reports the identifiers that are taken. */
  async #addGathered(): Promise<number> {
    await movePetsSequence(this.client, this.url);
    await this.client.query('savepoint before_adding');
    try {
      return await this.#insert('');
    } catch (error) {
      if (violatedConstraint(error) !== 'pets_pkey') throw error;
    }
    // Identifiers are compared only now: few imports need it.
    await this.client.query('rollback to before_adding');
    await this.#rejectTaken();
    return this.options.skipsTaken ? await this.#insert('on conflict (id) do nothing') : 0;
  }

  async #insert(onConflict: string): Promise<number> {
    const { rowCount } = await this.client.query(
      `insert into pets (id, name, category_id, status)
       select id, name, category_id, status from imported_pets
       ${onConflict}`,
    );
    return rowCount ?? 0;
  }

  async #rejectTaken(): Promise<void> {
    await this.client.query(
      `declare taken cursor for
       select line, id, nth > 1 as is_repeated
       from (
         select line, id, row_number() over (partition by id order by line) as nth
         from imported_pets) as numbered
       where nth > 1 or exists (select from pets where pets.id = numbered.id)
       order by line`,
    );
    for (;;) {
      const { rows } = await this.client.query<{ line: bigint; id: bigint; is_repeated: boolean }>(
        `fetch ${TAKEN_PAGE_SIZE} from taken`,
      );
      for (const { line, id, is_repeated: isRepeated } of rows) {
        this.options.reject(
          Number(line),
          isRepeated ? `id ${id} is in the file before.` : `id ${id} is taken: an animal has it already.`,
        );
      }
      if (rows.length < TAKEN_PAGE_SIZE) break;
    }
    await this.client.query('close taken');
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A row in the text format of COPY: id and line, if there is an id, then name, category_id and status. */
function copyRow({ line, value: { id, name, categoryId, status } }: PetRow): string {
  const escaped = name.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
  return `${id === undefined ? '' : `${id}\t${line}\t`}${escaped}\t${categoryId}\t${status ?? '\\N'}\n`;
}
