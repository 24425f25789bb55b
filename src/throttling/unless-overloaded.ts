import { UnavailableError } from '../database/database-errors.js';
import type { Group } from '../database/group.js';
import { Overload } from './overload.js';
import { Pauses } from './pauses.js';

/** Each holds a request, some 10 KB: 50 MB at most. */
const PAUSING_MAX = 5000;

/**
 * Requests of keys that have few waiting are let in while others overload the process.
 *
 * The group as long as the process keeps up. Past that a share of those who ask gets an `UnavailableError` after a pause, and
 * costs nothing else.
 */
export function unlessOverloaded<Question, Answer>(
  group: Pick<Group<Question, Answer>, 'name' | 'waiting' | 'aheadOf' | 'ask'>,
  overload: Pick<Overload, 'refuses'> = new Overload(),
): Pick<Group<Question, Answer>, 'ask'> {
  const pauses = new Pauses(PAUSING_MAX);
  const refuse = async (): Promise<never> => {
    await pauses.take();
    throw new UnavailableError('overloaded', `${group.name}: more is asked for than can be answered`);
  };
  return {
    ask: (question) => {
      const ahead = (): number => group.aheadOf(question);
      return overload.refuses(group.waiting, ahead, performance.now()) ? refuse() : group.ask(question);
    },
  };
}
