/** What one client sent and got, in the order in which it happened to it. */
export interface Exchange {
  readonly client: number;
  readonly operation: 'list' | 'inventory' | 'create' | 'get-pet' | 'place' | 'get-order' | 'change';
  /** The key of the request, by its identifier in the database. */
  readonly keyId: bigint;
  /** When it was sent, on the clock of `performance.now`. */
  readonly sentAt: number;
  /** How long the answer took, or until it was known that none comes. */
  readonly ms: number;
  readonly replica: number;
  /** 0: the connection broke before a whole answer came. */
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
  /** The end of the minute that a request was counted in. */
  readonly resetSeconds: number;
  /** Why the answer is not what it may be, if it is not. */
  readonly wrong: string | undefined;
  /** What it would have written. */
  readonly intent: Intent | undefined;
}

/** A write, and what its answer said of it. */
export type Intent =
  | { readonly write: 'pet'; readonly name: string; readonly claim: string | undefined; readonly id?: bigint }
  | {
      readonly write: 'order';
      readonly petId: bigint;
      readonly claim: string | undefined;
      readonly id?: bigint;
    }
  | { readonly write: 'status'; readonly orderId: bigint; readonly status: string };

/** All that the clients of a run recorded. */
export class History {
  constructor(readonly exchanges: Exchange[] = []) {}

  add(exchange: Exchange): void {
    this.exchanges.push(exchange);
  }

  get requests(): number {
    return this.exchanges.length;
  }

  get wrong(): readonly string[] {
    return this.exchanges.flatMap(({ wrong }) => wrong ?? []);
  }

  /** The longest that anybody waited for an answer, in ms. */
  get slowestMs(): number {
    return this.exchanges.reduce((slowest, { ms }) => Math.max(slowest, ms), 0);
  }

  count(isCounted: (exchange: Exchange) => boolean): number {
    return this.exchanges.filter(isCounted).length;
  }

  /** Milliseconds from an instant on until every request that is sent is answered, and not by 503. */
  healedAfter(instant: number): number {
    const failed = this.exchanges.filter(
      ({ status, sentAt }) => (status === 503 || status === 0) && sentAt >= instant,
    );
    return failed.reduce((last, { sentAt }) => Math.max(last, sentAt - instant), 0);
  }

  /** Milliseconds from an instant on until the first success, of a request sent after it, was there. */
  firstSuccessAfter(instant: number): number {
    const good = this.exchanges.filter(({ status, sentAt }) => isSuccess(status) && sentAt >= instant);
    return good.reduce((first, { sentAt, ms }) => Math.min(first, sentAt + ms - instant), Infinity);
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Whether nobody can know from the answer if it was done: none came, or the one that says so. */
export const isUnknown = ({ status }: Exchange): boolean => status === 0 || status === 503;

/** `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
