import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** With identifiers, rows are gathered in a table of this session, to be compared with what is there. */
const GATHERING = {
  prepare: `create temporary table imported_pets
              (id bigint not null, line bigint not null, name text not null, category_id bigint not null, status pet_status)
            on commit drop`,
  copy: 'copy imported_pets (id, line, name, category_id, status) from stdin',
};
const ADDING = { copy: 'copy pets (name, category_id, status) from stdin' };

/** Sends rows in the text format of COPY, in a transaction of its own. Nothing is there before `commit`. */
export class PetWriter {
  readonly #copy: ReturnType<typeof copyFrom>;
  #error: Error | undefined;

  private constructor(
    private readonly client: Client,
    statement: string,
  ) {
    this.#copy = client.query(copyFrom(statement));
    this.#copy.on('error', (error) => (this.#error ??= error));
  }

  static async open(client: Client, hasIds: boolean): Promise<PetWriter> {
    await client.query('begin');
    try {
      // The time-outs of a role are for requests; a slow file is no fault.
      await client.query(
        'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0',
      );
      if (!hasIds) return new PetWriter(client, ADDING.copy);
      await client.query(GATHERING.prepare);
      return new PetWriter(client, GATHERING.copy);
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when more may be sent. */
  async write(rows: string): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    if (!this.#copy.write(rows)) await once(this.#copy, 'drain');
  }

  /** Resolves to the number of rows when the server has them all. */
  async finish(): Promise<number> {
    if (this.#error !== undefined) throw this.#error;
    this.#copy.end();
    await finished(this.#copy);
    return this.#copy.rowCount;
  }

  async commit(): Promise<void> {
    await this.client.query('commit');
  }

  /** Leaves nothing behind. Never fails: a lost connection leaves nothing, either. */
  async abandon(): Promise<void> {
    if (!this.#copy.writableFinished && !this.#copy.destroyed && this.#error === undefined) {
      this.#copy.destroy(new Error('the import was given up'));
      await once(this.#copy, 'close').catch(() => undefined);
    }
    await this.client.query('rollback').catch(() => undefined);
  }
}
