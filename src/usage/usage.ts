/** One window of the calling key as it stands after this request. */
export interface UsageWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** What the calling key did on one UTC day. */
export interface UsageDay {
  /** As `2026-11-20`. */
  readonly day: string;
  readonly admitted: bigint;
  readonly refused: bigint;
}

/** The calling key's plan, its limits in force, and what it used. */
export interface Usage {
  readonly plan: string;
  readonly minute: UsageWindow;
  readonly day: UsageWindow;
  /** The last 31 UTC days, the oldest first and today last; a day without a request has noughts. */
  readonly days: readonly UsageDay[];
}
