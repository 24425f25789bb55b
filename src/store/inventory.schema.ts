/** How many animals there are of each status; those without one are in none. */
export interface Inventory {
  readonly available: bigint;
  readonly pending: bigint;
  readonly sold: bigint;
}

/** How the inventory is written: one number for each status of an animal. */
export const inventorySchema = {
  title: 'Inventory',
  description: 'How many animals there are of each status; those without one are in none.',
  type: 'object',
  properties: {
    available: { type: 'integer', format: 'int64', description: 'Animals that can be ordered.' },
    pending: { type: 'integer', format: 'int64', description: 'Animals that are spoken for.' },
    sold: { type: 'integer', format: 'int64', description: 'Animals that are sold.' },
  },
  required: ['available', 'pending', 'sold'],
};
