/** A table whose rows are answers: the database writes them as the JSON that callers get. */
export interface JsonTable {
  /** With the columns `id` and `status`, an index on each of (id) and (status, id), and those that `json` needs. */
  readonly table: string;
  readonly statusType: string;
  /** SQL for the JSON object of one row, whose columns are those of `item`. */
  readonly json: string;
}
