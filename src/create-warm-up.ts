import type { Database, Statement } from './database/database.js';
import { selectPages } from './database/pages.js';
import { selectRowsById } from './database/rows-by-id.js';
import { WarmUp } from './database/warm-up.js';
import { FIND_STORED_CREATIONS } from './idempotency/idempotency.repository.js';
import { CREATE_PETS, CREATE_PETS_ONCE, PETS } from './pets/pets.sql.js';
import { READ_INVENTORY } from './store/inventory.repository.js';
import {
  CHANGE_LOCKED_ORDERS,
  CHANGE_ORDERS,
  ORDERS,
  PLACE_LOCKED_ORDERS,
  PLACE_LOCKED_ORDERS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
} from './store/orders.sql.js';
import { ADMISSION_STATEMENTS } from './throttling/admission-statement.js';
import { DAYS_OF_KEYS } from './usage/usage.repository.js';

/** The wiring of the warm-up: all statements that requests send, each on the connections that it is sent on. */
export function createWarmUp(database: Database, warn: (message: string) => void): WarmUp {
  return new WarmUp({
    pools: [
      { pool: database.reserved, statements: ADMISSION_STATEMENTS },
      { pool: database.retries, statements: RETRIES },
      { pool: database.writes, statements: WRITES },
      // Admission of low-priority lookups runs there, too.
      { pool: database.pool, statements: [...ADMISSION_STATEMENTS, ...READS] },
    ],
    namedStatements: database.namedStatements,
    warn,
  });
}

const READS: readonly Statement[] = [
  selectPages(PETS),
  selectRowsById(PETS),
  selectPages(ORDERS),
  selectRowsById(ORDERS),
  READ_INVENTORY,
  DAYS_OF_KEYS,
  FIND_STORED_CREATIONS,
];

const WRITES: readonly Statement[] = [
  CREATE_PETS,
  CREATE_PETS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
  CHANGE_ORDERS,
];

const RETRIES: readonly Statement[] = [PLACE_LOCKED_ORDERS, PLACE_LOCKED_ORDERS_ONCE, CHANGE_LOCKED_ORDERS];
