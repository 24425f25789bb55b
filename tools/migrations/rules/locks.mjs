// What keeps others waiting, or the migration from being one transaction that gives up in time.
import { dropOf, indexOf } from '../statement.mjs';
import { lockedBy } from '../schema.mjs';

const TIMEOUT = /^(?:lock|statement|transaction|idle_in_transaction_session)_timeout$/;

/** What may run outside a transaction, because it must or because it is many. */
const OUTSIDE =
  /^(?:create (?:unique )?index concurrently|drop index concurrently|reindex .*\bconcurrently|vacuum|do|call|alter type \S+ add value)\b/;

/** By name: why it is refused and what to do instead, and whether a statement breaks it. */
export const LOCK_RULES = {
  'exclusive-maintenance': {
    says: 'nobody can use the table until it is done: use the concurrent form, or do it by hand in a quiet hour',
    breaks: ({ words }) =>
      /^vacuum (?:full\b|\(.*\bfull\b)|^cluster\b/.test(words) ||
      (/^(?:reindex|refresh materialized view)\b/.test(words) && !/\bconcurrently\b/.test(words)),
  },
  'lock-table': {
    says: 'whoever uses the table waits until the migration ends',
    breaks: ({ words }) => words.startsWith('lock '),
  },
  truncate: {
    says: 'the rows of a table in use are gone, and nobody can use it meanwhile',
    breaks: ({ words }, schema) => {
      const [, table] = /^truncate (?:table )?(?:only )?(\S+)/.exec(words) ?? [];
      return schema.isLive(table);
    },
  },
  'two-tables': {
    says: 'this migration has locked another table already, and keeps it locked until it ends: requests that use both would deadlock. Give each table a migration of its own',
    breaks: (statement, schema) => {
      const table = lockedBy(statement);
      return schema.lockedHere !== undefined && schema.isLive(table) && table !== schema.lockedHere;
    },
  },
  'lock-timeout': {
    says: 'the runner sets the time-outs, so that requests never queue up behind a migration for more than a second',
    breaks: ({ words, tokens }) =>
      TIMEOUT.test(/^(?:set|reset) (?:local |session )?(\w+)/.exec(words)?.[1] ?? '') ||
      (words.includes('set_config (') &&
        tokens.some(({ kind, text }) => kind === 'string' && TIMEOUT.test(text))),
  },
  'transaction-control': {
    says: 'the runner begins and ends the transaction',
    breaks: ({ words }) =>
      /^(?:begin|start transaction|commit|end|rollback|abort|savepoint|release|prepare transaction)\b/.test(
        words,
      ),
  },
  'concurrently-inside': {
    says: 'it cannot run in a transaction: begin the migration with "-- migrate: outside a transaction"',
    breaks: ({ words }, _schema, { isOutside }) =>
      !isOutside &&
      /^(?:create (?:unique )?index|drop index|reindex) .*\bconcurrently\b|^vacuum\b/.test(words),
  },
  'needless-outside': {
    says: 'it can run in a transaction: there it is there whole or not at all, and gives up when it has to wait',
    breaks: ({ words }, _schema, { isOutside }) => isOutside && !OUTSIDE.test(words),
  },
  'not-repeatable': {
    says: 'outside a transaction it may have happened already when it runs: say "if not exists" or "if exists"',
    breaks: ({ words }, _schema, { isOutside }) =>
      isOutside &&
      (indexOf(words)?.isRepeatable === false ||
        dropOf(words)?.isRepeatable === false ||
        /^alter type \S+ add value (?!if not exists )/.test(words)),
  },
};
