import { checkClock } from './clock.check.js';
import { checkCounters } from './counters.check.js';
import { checkDurability } from './durability.check.js';
import { checkEncoding } from './encoding.check.js';
import type { Check } from './finding.js';
import { checkInventory } from './inventory.check.js';
import { checkMigrations } from './migrations.check.js';
import { checkRoles } from './roles.check.js';
import { checkSettings } from './settings.check.js';
import { checkStatementTimeout } from './statement-timeout.check.js';
import { checkVersion } from './version.check.js';
import { checkWrites } from './writes.check.js';

/** After the configuration and the connection, in this order. */
export const CHECKS: readonly Check[] = [
  { name: 'version', needsSchema: false, run: checkVersion },
  { name: 'writes', needsSchema: false, run: checkWrites },
  { name: 'encoding', needsSchema: false, run: checkEncoding },
  { name: 'migrations', needsSchema: false, run: checkMigrations },
  { name: 'roles', needsSchema: true, run: checkRoles },
  { name: 'clock', needsSchema: false, run: checkClock },
  { name: 'settings', needsSchema: false, run: checkSettings },
  { name: 'statement_timeout', needsSchema: false, run: checkStatementTimeout },
  { name: 'durability', needsSchema: false, run: checkDurability },
  { name: 'counters', needsSchema: true, run: checkCounters },
  { name: 'inventory', needsSchema: true, run: checkInventory },
];
