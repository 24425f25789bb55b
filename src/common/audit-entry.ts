import { shown } from './shown.js';

/** The rows of `audit_log` before and after a change: null where it was made or deleted. */
export interface ChangedRow {
  readonly old: Readonly<Record<string, unknown>> | null;
  readonly new: Readonly<Record<string, unknown>> | null;
}

/** `requests_per_minute: 300 → 600` for each member, or the values of what was made or deleted. */
export const describeMembers = ({ old: before, new: after }: ChangedRow): readonly string[] =>
  Object.entries(after ?? before ?? {}).map(([name, value]) =>
    before !== null && after !== null && shown(before[name]) !== shown(value)
      ? `${name}: ${shown(before[name])} → ${shown(value)}`
      : `${name}: ${shown(value)}`,
  );

/** Who logged in, and who was named by `PETSTORE_ACTOR` or `--actor`: `bob, as alice`. */
export const nameOf = (role: unknown, actor: unknown): string =>
  actor === null || actor === role ? shown(role) : `${shown(role)}, as ${shown(actor)}`;
