/** How many animals there are of each status; those without one are in none. */
export interface Inventory {
  readonly available: bigint;
  readonly pending: bigint;
  readonly sold: bigint;
}
