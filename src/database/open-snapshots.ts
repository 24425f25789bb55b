/** The snapshots that retain old row versions. */
export const OPEN_SNAPSHOTS = `
  select kind, name, role, program, transactions::float8, remedy,
    extract(epoch from clock_timestamp() - since)::float8 as seconds
  from open_snapshots
  where transactions >= 1000
  order by transactions desc`;

export interface OpenSnapshot {
  readonly kind: string;
  readonly name: string;
  readonly role: string | null;
  readonly program: string | null;
  /** Started since. */
  readonly transactions: number;
  readonly remedy: string;
  /** Since its transaction began; null if the role may not see it, or if it has none, such as a slot. */
  readonly seconds: number | null;
}

/** From this age a snapshot is reported; if unknown, from the transactions of a busy service in that time. */
const OLD_S = 600;
const OLD_TRANSACTIONS = 300_000;

/** A session whose time is hidden may have just begun, while an older one keeps its snapshot old. */
const isOld = ({ kind, seconds, transactions }: OpenSnapshot): boolean =>
  seconds === null ? kind !== 'session' && transactions >= OLD_TRANSACTIONS : seconds >= OLD_S;

/** A sentence, without its full stop, for each snapshot that has been open for ten minutes. */
export const describeOldSnapshots = (snapshots: readonly OpenSnapshot[]): readonly string[] =>
  snapshots.filter(isOld).map(({ kind, name, role, program, transactions, remedy, seconds }) => {
    const age = seconds === null ? `${transactions} transactions` : `${Math.floor(seconds / 60)} minutes`;
    const details = [role && `role ${role}`, program && `program "${program}"`].filter(Boolean).join(', ');
    const holder = `${kind} ${name}${details && ` (${details})`}`;
    return `${holder} has kept a snapshot open for ${age}, so old row versions accumulate and everything becomes slower; to end it: ${remedy}`;
  });
