import { Group, type GroupOptions } from './group.js';
import { watched, watchOptions } from './group-watch.js';

/**
 * Questions per statement: 64 clients then keep two statements at work while this process prepares a third, 4 to 12 % more
 * requests a second than with 64 questions, and a statement's fixed cost is a quarter of it already.
 */
const SIZE_MAX = 32;

/**
 * A full statement of reads goes at once, and PostgreSQL works on them while this process takes in what else has arrived: 15 to 20 % more
 * random pages a second with 64 connections on two cores. Single animals and writes showed no difference.
 */
const SIZE_ENOUGH = SIZE_MAX;

/** What may wait before the service refuses: about a second of work, so that nobody waits in vain for longer. */
const WAITING_MAX = 5000;

/** The longest that a question waits. A request asks two of them, and is answered or refused within two seconds. */
const TIMEOUT_MS = 950;

type OfPurpose<Question, Answer> = Pick<GroupOptions<Question, Answer>, 'name' | 'send'> &
  Partial<Pick<GroupOptions<Question, Answer>, 'shareKey' | 'concurrencyMax'>>;

/** Two statements at a time use both halves of a round trip. */
const BOUNDS = { sizeMax: SIZE_MAX, concurrencyMax: 2, waitingMax: WAITING_MAX, timeoutMs: TIMEOUT_MS };

/** A group of reads: a broken one is asked again. */
export const groupReads = <Question, Answer>(options: OfPurpose<Question, Answer>): Group<Question, Answer> =>
  watched(
    new Group({
      ...BOUNDS,
      ...watchOptions(),
      sizeEnough: SIZE_ENOUGH,
      onBrokenConnection: 'ask-again',
      ...options,
    }),
  );

/** A group of writes: a broken one is not asked again, for nobody knows whether it committed. */
export const groupWrites = <Question, Answer>(
  options: OfPurpose<Question, Answer>,
): Group<Question, Answer> =>
  watched(new Group({ ...BOUNDS, ...watchOptions(), onBrokenConnection: 'fail', ...options }));
