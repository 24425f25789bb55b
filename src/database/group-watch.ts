import type { Group, GroupOptions, StatementReport } from './group.js';

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
