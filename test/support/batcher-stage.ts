import { jest } from '@jest/globals';
import { BACKOFF_MS, Batcher, type BatcherOptions, LOCKED, TICK_MS } from '../../src/batching/batcher.js';
import { QUARANTINE_MS } from '../../src/batching/locks.js';
import { UnavailableError } from '../../src/errors/database-errors.js';
import { FAILURES, FakeSend } from './fake-send.js';
import type { Stage } from './traces.js';

type Options = Partial<BatcherOptions<string, string>>;

export const batcherOf = (send: FakeSend['send'], options: Options = {}): Batcher<string, string> =>
  new Batcher({
    ...{ name: 'pets', send, isRead: true, sizeMax: 4, concurrencyMax: 1, waitingMax: 100, timeoutMs: 1000 },
    ...options,
  });

const byKey = ([key = '']: string): string => key;

/** Options of a trace by their names; others are those of the batcher, with a number. */
const NAMED_OPTIONS: Readonly<Record<string, Options>> = {
  writes: { isRead: false },
  // The key of `a7` is `a`.
  byKey: { keyOf: byKey },
  separating: { isRead: false, retriesTimeoutsAlone: true, keyOf: byKey, timeoutMs: 10_000 },
  // Of writes that lock a row: that of `a7` is 7.
  locking: { isRead: false, keyOf: (item) => item.slice(1), locksRow: true, sizeMax: 8 },
};

function optionOf(word: string): Options {
  const [name = '', value] = word.split('=');
  if (name === 'neededMs') return { neededMs: () => Number(value) };
  return value === undefined ? (NAMED_OPTIONS[name] ?? {}) : { [name]: Number(value) };
}

/** Milliseconds: a number of them, or of ticks as `2t`, or a pause by its name. */
function msOf(text = ''): number {
  if (text === 'backoff') return BACKOFF_MS + TICK_MS;
  if (text === 'quarantine') return QUARANTINE_MS + TICK_MS;
  return text.endsWith('t') ? Number(text.slice(0, -1)) * TICK_MS : Number(text);
}

function outcomeOf(word: string): string | Error | typeof LOCKED {
  if (word === 'LOCKED') return LOCKED;
  return word.startsWith('!') ? new Error(word.slice(1)) : word;
}

/** A batcher. `a:0` is the result of `a` in statement 0, and `>a b` a statement that is sent. */
export function batcherStage(options: readonly string[]): Stage {
  const database = new FakeSend();
  const events: string[] = [];
  const batcher = batcherOf(database.send, {
    onLongLocked: (row) => void events.push(`locked ${row}`),
    ...(Object.assign({}, ...options.map(optionOf)) as Options),
  });
  const begunAt = performance.now();
  /** By the order of their arrival. */
  const settled = new Map<number, string>();
  let [loaded, sent] = [0, 0];

  const load = (word: string): void => {
    const [item = '', ms] = word.split('@');
    const at = loaded++;
    const settle = (outcome: string): void =>
      void settled.set(at, `${item}:${outcome.replace(`${item} in `, '')}`);
    batcher
      .load(item, ms === undefined ? undefined : performance.now() + Number(ms))
      .then(settle, (error: Error) =>
        settle(error instanceof UnavailableError ? error.reason : error.message),
      );
  };

  /** What a step does; a number is what it reads. */
  function act(verb: string, words: readonly string[]): number | undefined {
    const [first = '', second] = words;
    const statement = () => database.statement(Number(first));
    switch (verb) {
      case 'load':
      // And looks before anything else happens.
      case 'load!':
        words.forEach(load);
        return undefined;
      case 'end':
        statement().end(second === undefined ? undefined : words.slice(1).map(outcomeOf));
        return undefined;
      case 'fail':
        statement().fail(FAILURES[second as keyof typeof FAILURES]());
        return undefined;
      case 'close':
        void batcher.close().then(() => events.push('closed'));
        return undefined;
      case 'stall':
        jest.spyOn(performance, 'now').mockReturnValue(performance.now() + Number(first));
        return undefined;
      case 'wait':
        return undefined;
      case 'waiting':
        return batcher.waiting;
      case 'timers':
        return jest.getTimerCount();
      case 'sendBefore':
        return statement().sendBefore - begunAt;
      default:
        throw new Error(`unknown step: ${verb}`);
    }
  }

  return {
    step: async (verb, words) => {
      const read = act(verb, words);
      if (verb !== 'load!') await jest.advanceTimersByTimeAsync(verb === 'wait' ? msOf(words[0]) : 0);
      const ended = [...settled].toSorted(([one], [other]) => one - other).map(([, outcome]) => outcome);
      settled.clear();
      const statements = database.sent.slice(sent).map((items) => `>${items}`);
      sent += statements.length;
      return [...(read === undefined ? [] : [String(read)]), ...ended, ...events.splice(0), ...statements];
    },
  };
}
