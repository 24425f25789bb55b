import { Injectable } from '@nestjs/common';
import { deduplicated, LOCKED, type Send } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import type { LockedRow } from '../database/lock-report.js';
import { PrismaService } from '../database/prisma.service.js';
import { bytesArray, columnsJson, plainArray, type Statement } from '../database/statement.js';
import { skippingUsedIds } from '../database/used-ids.js';
import { ApiError } from '../errors/api-error.js';
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import type { Preconditions } from '../http/etag.js';
import type { IdempotencyKey } from './idempotency-key.js';
import type { CreationOutcome } from './idempotency.service.js';
import type { List, Lists, Page, PageRequest, PageRow } from './lists.js';

/** An operation on one item, batched with concurrent calls. `deadline` is a `performance.now()` time. */
export type Load<Item, Result> = (item: Item, deadline: number) => Promise<Result>;

/** A record to create. */
export interface New<Members> {
  readonly members: Members;
  readonly key: IdempotencyKey | undefined;
}

/** A record to write if it meets the conditions. */
export interface Existing extends Preconditions {
  readonly id: bigint;
}

export interface Changed<Members> extends Existing {
  readonly members: Members;
}

/** What a statement returns for each item, in order. Most return only a part. */
interface OutcomeRow {
  readonly outcome: string;
  readonly id: bigint;
  readonly json: string;
  readonly status: string;
}

/** Maps an outcome to a result, or to an error with more details. */
type Outcomes<Item, Result> = Readonly<Record<string, (row: OutcomeRow, item: Item) => Result | ApiError>>;

interface Write<Item, Result> {
  /** Holds the rows to write or create. */
  readonly table: LockedRow['table'];
  readonly statement: Statement;
  /** Outcomes that reject the item with that error code, besides `precondition_failed`. */
  readonly failures?: readonly ErrorCode[];
  /** Outcomes whose errors need details, and those that only this write has. */
  readonly outcomes?: Outcomes<Item, Result>;
}

/**
 * What a creation locks or needs exclusively: one item per key is in flight at a time. Needed if the statement has the outcome `locked`:
 * its items are retried.
 */
interface Lock<Item> {
  readonly keyOf: (item: Item) => bigint | string;
  /** The table whose rows have these keys as ids, if they are rows. */
  readonly table?: LockedRow['table'];
}

/** The operations that resources share. Concurrent calls of the same kind are batched. */
@Injectable()
export class Records {
  constructor(
    private readonly batching: Batching,
    private readonly prisma: PrismaService,
  ) {}

  /**
   * Pages of a list, whose JSON the database writes: to read twenty rows and to write their JSON took Node.js 140 of the 320 µs of a
   * request.
   */
  pages<Query extends PageRequest>(lists: Lists<Query>): Load<Query, Page> {
    const pages = { id: this.pagesOf(lists.id), '-id': this.pagesOf(lists['-id']) };
    return (page, deadline) => pages[page.sort](page, deadline);
  }

  /** Pages of a list in a single order. */
  pagesOf<Query extends PageRequest>({ statement, parameters }: List<Query>): Load<Query, Page> {
    const send = deduplicated<Query, Page>(
      (page) => parameters.map((valueOf) => valueOf(page)).join(' '),
      async (pages) => {
        const arrays = parameters.map((valueOf) => plainArray(pages.map((page) => valueOf(page))));
        const rows = await this.prisma.read<PageRow>(statement, arrays);
        return rows.map(({ nextId, items }) => ({ nextId, json: `[${items ?? ''}]` }));
      },
    );
    return this.batching.batchReads({ name: statement.name, send }).load;
  }

  /**
   * Records by their ids, as JSON.
   *
   * @param absent the error of a record that does not exist
   */
  finds(statement: Statement, absent: ErrorCode): Load<bigint, string> {
    const send = deduplicated<bigint, string>(String, async (ids) => {
      const rows = await this.prisma.read<{ json: string | null }>(statement, [plainArray(ids)]);
      return rows.map(({ json }) => json ?? new ApiError(absent));
    });
    return this.batching.batchReads({ name: statement.name, send }).load;
  }

  /** Creations by a statement of `creationSql`. They resolve when the record, and with a key the response, is durable. */
  creations<Members extends object>({
    locks,
    ...write
  }: Write<New<Members>, CreationOutcome> & { readonly locks?: Lock<New<Members>> }): Load<
    New<Members>,
    CreationOutcome
  > {
    const create = this.#sending<New<Members>, CreationOutcome>(
      { ...write, outcomes: { ...CREATIONS, ...write.outcomes } },
      (items) => [
        items.map(({ members }) => columnsJson(members)),
        plainArray(items.map(({ key }) => key?.apiKeyId)),
        items.map(({ key }) => key?.key ?? null),
        bytesArray(items.map(({ key }) => key?.fingerprint)),
      ],
    );
    const send: typeof create = (items, sendBefore) =>
      skippingUsedIds(this.prisma, write.table, sendBefore, () => create(items, sendBefore));
    const { name } = write.statement;
    return locks === undefined
      ? this.batching.batchWrites({ name, send }).load
      : this.batching.batchRowWrites({ ...locks, name, send }).load;
  }

  /** Changes by a statement of `changeSql`. They resolve to the record as JSON. */
  changes<Members extends object>(write: Write<Changed<Members>, string>): Load<Changed<Members>, string> {
    return this.writes({ ...write, outcomes: { ...CHANGES, ...write.outcomes } }, ({ members }) => [
      columnsJson(members),
    ]);
  }

  /** Deletions by a statement that takes ids and conditions. They have no members that could cause an error. */
  deletions({ failures = [], ...write }: Write<Existing, void>): Load<Existing, void> {
    const errors = failures.map(
      (code) => [code, () => new ApiError(code, undefined, { faults: [] })] as const,
    );
    const outcomes = { deleted: () => undefined, ...Object.fromEntries(errors), ...write.outcomes };
    return this.writes({ ...write, outcomes });
  }

  /**
   * Writes of rows by a statement that takes ids, further values and conditions, an array for each.
   *
   * @param furtherOf the further values of an item
   */
  writes<Item extends Existing, Result>(
    write: Write<Item, Result>,
    furtherOf: (item: Item) => readonly string[] = () => [],
  ): Load<Item, Result> {
    const failures = ['precondition_failed', ...(write.failures ?? [])] as const;
    const send = this.#sending<Item, Result>({ ...write, failures }, (items) => {
      const further = items.map((item) => furtherOf(item));
      return [
        plainArray(items.map(({ id }) => id)),
        ...(further[0] ?? []).map((_, index) => further.map((values) => values[index])),
        items.map(({ ifMatch }) => ifMatch),
        items.map(({ ifNoneMatch }) => ifNoneMatch),
      ];
    });
    const { table, statement } = write;
    return this.batching.batchRowWrites<Item, Result>({
      ...{ table, send },
      name: statement.name,
      keyOf: ({ id }) => id,
    }).load;
  }

  /**
   * An unknown outcome rejects only its item: the changes of all are committed.
   *
   * @throws Error for an outcome of the statement that is not listed
   */
  #sending<Item, Result>(
    { statement, failures = [], outcomes = {} }: Write<Item, Result>,
    valuesOf: (items: readonly Item[]) => readonly unknown[],
  ): Send<Item, Result> {
    const resultsOf = new Map<string, (row: OutcomeRow, item: Item) => Result | Error | typeof LOCKED>([
      ['locked', () => LOCKED],
      ...failures.map((code) => [code, () => new ApiError(code)] as const),
      ...Object.entries(outcomes),
    ]);
    const unlisted = Object.keys(ERROR_CODES).find(
      (code) => statement.text.includes(`'${code}'`) && !resultsOf.has(code),
    );
    if (unlisted !== undefined) throw new Error(`${statement.name} may return ${unlisted}: ${UNLISTED}`);
    const unknown = ({ outcome }: OutcomeRow): Error =>
      new Error(`${statement.name} returned "${outcome}", which this release does not list: ${UNLISTED}`);
    return async (items, sendBefore) => {
      const rows = await this.prisma.write<OutcomeRow>(statement, valuesOf(items), sendBefore);
      return rows.map((row, index) => (resultsOf.get(row.outcome) ?? unknown)(row, items[index] as Item));
    };
  }
}

const UNLISTED = 'each outcome is one of the `failures` or `outcomes` of its repository';

const CREATIONS: Outcomes<unknown, CreationOutcome> = {
  created: ({ id, json }) => ({ id, json }),
  busy: () => 'busy',
  used: () => 'used',
};

const CHANGES: Outcomes<unknown, string> = {
  changed: ({ json }) => json,
  unchanged: ({ json }) => json,
};
