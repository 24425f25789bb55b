/**
 * Sets the next generation of the row `c` of counters, once in 125 updates. While a snapshot is open (a dump, a report, a forgotten
 * transaction), PostgreSQL cannot remove the former versions of the row, and a look-up by the key alone reads them all: with 30,000 of them
 * a statement took eight times as long. The generation is in an index behind the key, so `order by generation desc limit 1` reads only
 * the newest ones.
 */
export const NEXT_GENERATION = `generation = least(c.generation + (random() < 0.008)::int, count_max())`;
