/**
 * A row of counters is updated for each batch with its key. While a snapshot is open (a dump, a report, a transaction that an operator has
 * forgotten), none of its former versions can be removed, and who looks for the row by its key alone reads them all: with 60,000 versions
 * that took ten times as long. So each row has a number that grows once in some hundred updates, behind the key in an index whose end
 * leads to the newest versions: `order by generation desc limit 1`.
 */
export const NEXT_GENERATION = `generation = least(a.generation + (random() < 0.008)::int, count_max())`;
