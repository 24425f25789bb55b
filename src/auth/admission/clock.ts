/** The service's time: the database's, not the replica's (see `DatabaseClock`). */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;
}
