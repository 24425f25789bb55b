import { shown } from './shown.js';

/** The row of a key, secret or plan as `audit_log` has it, or its changed columns; null where it was made or deleted. */
export type AuditedRow = Readonly<Record<string, unknown>> | null;

/** `requests_per_minute: 300 → 600` for each member, or the values of what was made or deleted. */
export const describeChange = (before: AuditedRow, after: AuditedRow): readonly string[] =>
  Object.entries(after ?? before ?? {}).map(([name, value]) =>
    before !== null && after !== null && shown(before[name]) !== shown(value)
      ? `${name}: ${shown(before[name])} → ${shown(value)}`
      : `${name}: ${shown(value)}`,
  );

/** Who logged in, and who was named by `PETSTORE_ACTOR` or `--actor`: `bob, as alice`. */
export const describeActor = (role: unknown, actor: unknown): string =>
  actor === null || actor === role ? shown(role) : `${shown(role)}, as ${shown(actor)}`;
