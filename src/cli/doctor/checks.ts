import { checkRights, checkRoles, checkServer, checkSettings, checkStatementTimeout } from './role-checks.js';
import { checkBans, checkIds, checkMigrations, checkObjects } from './schema-checks.js';
import {
  checkClock,
  checkDisk,
  checkDurability,
  checkEncryption,
  checkSlots,
  checkSnapshots,
  checkVersion,
  checkWrites,
} from './server-checks.js';
import type { Check } from './check.js';

/** In the order in which they run. Roles need the tables, so migrations come before. */
export const CHECKS: Readonly<Record<string, Check>> = {
  encryption: checkEncryption,
  version: checkVersion,
  writes: checkWrites,
  clock: checkClock,
  settings: checkSettings,
  timeout: checkStatementTimeout,
  durability: checkDurability,
  migrations: checkMigrations,
  objects: checkObjects,
  roles: checkRoles,
  rights: checkRights,
  server: checkServer,
  ids: checkIds,
  snapshots: checkSnapshots,
  bans: checkBans,
  slots: checkSlots,
  disk: checkDisk,
};
