import type { ConnectionPools } from '../prisma/connection-pools.js';
import type { PrismaService, ReadRows } from '../prisma/prisma.service.js';
import { Group, type GroupOptions, type StatementReport } from './group.js';
import type { LOCKED, Patience } from './locked-row-line.js';
import { LockedRowRetries } from './locked-row-retries.js';

/** Looks on at the groups of this process, for metrics and traces, whoever makes them. No call may throw. */
export interface GroupObserver {
  /** A statement has ended. */
  statementEnded(report: StatementReport): void;
  /** What the present question is asked in; absent where nobody wants to know. */
  readonly contextOf?: () => unknown;
}

type AnyGroup = Pick<Group<unknown, unknown>, 'name' | 'waiting' | 'close'>;

/**
 * The groups of this process, wherever they are made: repositories make their own, and whoever measures or closes them
 * all should not have to know each.
 */
const groups = new Set<AnyGroup>();
let observer: GroupObserver | undefined;

/** To be called before groups are made: once in a process. */
export function observeGroups(looksOn: GroupObserver): void {
  observer = looksOn;
}

/** Every group that was made, for those who look on. */
export const allGroups = (): Iterable<AnyGroup> => groups;

/** Has every group refuse new questions, and forgets them; resolves when all that were asked are settled. */
export async function closeGroups(): Promise<void> {
  const closing = Array.from(groups, (group) => group.close());
  groups.clear();
  await Promise.all(closing);
}

/** The options of a group that is looked on at. */
export const watchOptions = (): Pick<GroupOptions<unknown, unknown>, 'onStatement' | 'contextOf'> =>
  observer === undefined
    ? {}
    : {
        onStatement: observer.statementEnded.bind(observer),
        ...(observer.contextOf && { contextOf: observer.contextOf }),
      };

export function watched<Watched extends AnyGroup>(group: Watched): Watched {
  groups.add(group);
  return group;
}

/**
 * Questions per statement. 64 clients then keep one statement at work while this process prepares another: 4 to 14 % more
 * requests a second than with 64 questions. The fixed part of admission's cost is a quarter of the whole then.
 */
export const SIZE_MAX = 32;

/** What may wait before the service refuses: about a second of work, so that nobody waits in vain for longer. */
const WAITING_MAX = 5000;

/** The longest that an item without a deadline of its own waits: admission, which comes before all other statements. */
export const TIMEOUT_MS = 950;

type OfPurpose<Question, Answer> = Pick<GroupOptions<Question, Answer>, 'name' | 'send'> &
  Partial<
    Pick<
      GroupOptions<Question, Answer>,
      'shareKey' | 'fairKey' | 'concurrencyMax' | 'onServerTimeout' | 'endsWithinMs'
    >
  >;

/** Two statements at a time use both halves of a round trip. */
const BOUNDS = { sizeMax: SIZE_MAX, concurrencyMax: 2, waitingMax: WAITING_MAX, timeoutMs: TIMEOUT_MS };

/** A group of reads: a broken one is asked again. */
export const groupReads = <Question, Answer>(options: OfPurpose<Question, Answer>): Group<Question, Answer> =>
  watched(new Group({ ...BOUNDS, ...watchOptions(), onBrokenConnection: 'ask-again', ...options }));

/** A group of writes: a broken one is not asked again, for nobody knows whether it committed. */
export const groupWrites = <Question, Answer>(
  { endsWithinMs }: Pick<ConnectionPools, 'endsWithinMs'>,
  options: OfPurpose<Question, Answer>,
): Group<Question, Answer> =>
  watched(
    new Group({
      ...BOUNDS,
      ...watchOptions(),
      endsWithinMs,
      onBrokenConnection: 'fail',
      ...options,
    }),
  );

interface LockingWrites<Item, Result> {
  readonly name: string;
  readonly rowOf: (item: Item) => bigint;
  readonly shareKey?: (item: Item) => string | undefined;
  /**
   * Sends one statement for all items. With patience they are items of one row, which the statement waits for; without, it skips
   * rows that are locked.
   */
  readonly send: (
    read: ReadRows,
    items: readonly Item[],
    patience?: Patience,
  ) => Promise<readonly (Result | typeof LOCKED)[]>;
}

/** A group of writes of which each locks a row: what finds it locked is retried by itself, on connections of its own. */
export function groupLockingWrites<Item, Result>(
  prisma: PrismaService,
  { name, rowOf, send, ...options }: LockingWrites<Item, Result>,
): LockedRowRetries<Item, Result> {
  const batches = groupWrites<Item, Result | typeof LOCKED>(prisma.connections, {
    name,
    send: (items, sendBefore) =>
      send((statement, values) => prisma.write(statement, values, sendBefore), items),
    ...options,
  });
  return watched(
    new LockedRowRetries<Item, Result>({
      name: `${name}_locked`,
      rowOf,
      first: (item, deadline) => batches.ask(item, deadline),
      retry: send,
      onConnection: (work) => prisma.waitForLocks(work),
      connections: prisma.connections.lockWaits.options.max,
      sizeMax: SIZE_MAX,
      waitingMax: WAITING_MAX,
      timeoutMs: TIMEOUT_MS,
      endsWithinMs: prisma.connections.endsWithinMs,
      ...watchOptions(),
    }),
  );
}
