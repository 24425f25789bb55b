/** One window of a key as it stands after the request that a verdict is about. */
export interface WindowState {
  /** The limit in force: the key's own number or its plan's. */
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window that was counted, in ms of the database's clock; always later than the verdict's `nowMs`. */
  readonly resetAtMs: number;
}

/** What the database says about one request. All times are ms of its clock. */
export type KeyVerdict =
  | { readonly state: 'unknown' }
  | { readonly state: 'revoked' | 'expired'; readonly keyId: bigint; readonly nowMs: number }
  | {
      /** `limited` was counted as a refusal; `banned` (also: suspended by an operator) was not written anywhere. */
      readonly state: 'admitted' | 'limited' | 'banned';
      readonly keyId: bigint;
      readonly planId: string;
      readonly nowMs: number;
      readonly minute: WindowState;
      readonly day: WindowState;
      /**
       * When a request would be admitted, were the key's client alone: the latest of the reset of each exhausted window
       * and the end of the ban. Absent when this one was admitted.
       */
      readonly retryAtMs?: number;
    };
