/** A request of a client, and its response. */
export interface Exchange {
  readonly client: number;
  readonly operation: 'list' | 'inventory' | 'create' | 'get-pet' | 'place' | 'get-order' | 'change';
  readonly keyId: bigint;
  /** When it was sent, on the clock of `performance.now`. */
  readonly sentAt: number;
  /** How long the response took, or until it was known that none comes. */
  readonly ms: number;
  /** 0: the connection broke before a whole response came. */
  readonly status: number;
  readonly code: string | undefined;
  /** The end of the minute that a request was counted in. */
  readonly resetSeconds: number;
  /** Why the response is wrong, if it is. */
  readonly wrong: string | undefined;
  /** The write of the request. */
  readonly intent: Intent | undefined;
}

/** A write, with the identifier that its response contained. */
export type Intent =
  | { readonly write: 'pet'; readonly name: string; readonly id?: bigint }
  | { readonly write: 'order'; readonly petId: bigint; readonly id?: bigint }
  | { readonly write: 'status'; readonly orderId: bigint; readonly status: string };

/** All that the clients of a run recorded, in the order in which it happened to each. */
export class History {
  readonly exchanges: Exchange[] = [];

  get requests(): number {
    return this.exchanges.length;
  }

  get wrong(): readonly string[] {
    return this.exchanges.flatMap(({ wrong }) => wrong ?? []);
  }

  get slowestMs(): number {
    return this.exchanges.reduce((slowest, { ms }) => Math.max(slowest, ms), 0);
  }

  count(isCounted: (exchange: Exchange) => boolean): number {
    return this.exchanges.filter(isCounted).length;
  }

  /** Milliseconds after an instant until no request that is sent fails. */
  healedAfter(instant: number): number {
    const failed = this.exchanges.filter((one) => isUnknown(one) && one.sentAt >= instant);
    return failed.reduce((last, { sentAt }) => Math.max(last, sentAt - instant), 0);
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Whether the response does not say if the request was executed: none came, or a 503. */
export const isUnknown = ({ status }: Exchange): boolean => status === 0 || status === 503;

/** `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
