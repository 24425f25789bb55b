/** The snapshots that keep old versions of rows. */
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
  /** Begun since. */
  readonly transactions: number;
  readonly remedy: string;
  /** Since its transaction began; null where the role may not see it, and of what has no time, such as a slot. */
  readonly seconds: number | null;
}

/** From this age a snapshot is reported; without a time, from as many transactions as a busy service has in it. */
const OLD_S = 600;
const OLD_TRANSACTIONS = 300_000;

/** A session whose time this role may not see may have begun just now, while an older one keeps its snapshot old. */
const isOld = ({ kind, seconds, transactions }: OpenSnapshot): boolean =>
  seconds === null ? kind !== 'session' && transactions >= OLD_TRANSACTIONS : seconds >= OLD_S;

/** A sentence, without its full stop, for each snapshot that has been open for ten minutes. */
export const describeOldSnapshots = (snapshots: readonly OpenSnapshot[]): readonly string[] =>
  snapshots.filter(isOld).map(({ kind, name, role, program, transactions, remedy, seconds }) => {
    const age = seconds === null ? `${transactions} transactions` : `${Math.floor(seconds / 60)} minutes`;
    const details = [role && `role ${role}`, program && `program "${program}"`].filter(Boolean).join(', ');
    const holder = `${kind} ${name}${details && ` (${details})`}`;
    return `${holder} has kept a snapshot open for ${age}, so old versions of rows add up and everything becomes slower; to end it: ${remedy}`;
  });
