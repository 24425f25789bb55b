import { appendFile } from 'node:fs/promises';

/** A row of the table that `npm run faults` prints, and that docs/reliability.md holds. */
export interface Figures {
  /** The fault, as the table names it. */
  readonly fault: string;
  readonly injected: number | string;
  readonly requests: number | string;
  readonly wrong: number;
  readonly lost: number;
  /** Milliseconds until every request was answered again, the longest of all faults. */
  readonly healMs?: number | undefined;
  /** What else was measured, in a few words. */
  readonly also?: string;
}

/** Told to whoever runs the specs for the table; nothing where nobody asked for it. */
export async function tell(figures: Figures): Promise<void> {
  const file = process.env['FAULT_FIGURES'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figures)}\n`);
}
