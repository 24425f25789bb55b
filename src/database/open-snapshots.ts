/** What reads the view `open_snapshots` again knows how long the same snapshot has been open, also where `since` is not visible. */
export const OPEN_SNAPSHOTS = `
  select kind, name, role, program, transactions::float8, xid::text, virtualxid, remedy,
    extract(epoch from clock_timestamp() - since)::float8 as seconds
  from open_snapshots
  where transactions >= 1000
  order by transactions desc`;

export interface OpenSnapshot {
  readonly kind: string;
  readonly name: string;
  readonly role: string | null;
  readonly program: string | null;
  /** Begun since. */
  readonly transactions: number;
  readonly xid: string;
  /** Of the transaction of a session. */
  readonly virtualxid: string | null;
  readonly remedy: string;
  /** Since its transaction began; null where the role may not see it. */
  readonly seconds: number | null;
}

/** From this age a snapshot is reported. */
export const OLD_SNAPSHOT_S = 600;

/** @param seconds how long it has been open; null if that is not known */
export function describeSnapshot(
  { kind, name, role, program, transactions, remedy }: OpenSnapshot,
  seconds: number | null,
): string {
  const age = seconds === null ? `${transactions} transactions` : `${Math.floor(seconds / 60)} minutes`;
  const details = [role && `role ${role}`, program && `program "${program}"`].filter(Boolean).join(', ');
  const holder = `${kind} ${name}${details && ` (${details})`}`;
  return `${holder} has kept a snapshot open for ${age}, so old versions of rows add up and everything becomes slower; to end it: ${remedy}`;
}
