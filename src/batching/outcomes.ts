import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-codes.js';

/** A row that a statement returns for an item, with what it did. */
interface OutcomeRow {
  readonly outcome: string;
}

/** What becomes of an item by the outcome of its row: the code of its error, or what makes its result. */
export type Outcomes<Row extends OutcomeRow, Result, Item = unknown> = {
  readonly [Outcome in Row['outcome']]: ErrorCode | ((row: Row, item: Item) => Result | Error);
};

/**
 * The results of items by the rows of a statement, in their order. An outcome of a later release rejects its item alone: the changes of all
 * are committed.
 */
export const resultsOf = <Row extends OutcomeRow, Result, Item = unknown>(
  statement: string,
  outcomes: Outcomes<Row, Result, Item>,
  rows: readonly Row[],
  items: readonly Item[],
): readonly (Result | Error)[] =>
  rows.map((row, index) => {
    const { outcome }: { readonly outcome: Row['outcome'] } = row;
    if (!Object.hasOwn(outcomes, outcome))
      return new Error(`${statement}: this release does not know the outcome "${outcome}"`);
    const known = outcomes[outcome];
    return typeof known === 'string' ? new ApiError(known) : known(row, items[index] as Item);
  });
