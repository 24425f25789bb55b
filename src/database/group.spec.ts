import { describe, expect, it } from '@jest/globals';
import { failures, fakeGroup, settled } from '../../test/support/fake-group.js';
import { UnavailableError } from './database-errors.js';
import { Group, REST_MS, SWEEP_MS, TIMEOUTS_UNTIL_LOST, type StatementReport } from './group.js';

/** How a question was settled, or `open`. */
function outcomeOf(answer: Promise<string>): () => Promise<string> {
  let outcome = 'open';
  answer.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = error instanceof UnavailableError ? error.reason : String(error)),
  );
  return async () => {
    await settled();
    return outcome;
  };
}

const outcomes = (all: (() => Promise<string>)[]): Promise<string[]> =>
  Promise.all(all.map((outcome) => outcome()));

describe('a group', () => {
  describe('joins', () => {
    it('all questions of one turn of the event loop in one statement, in their order, and sends it at its end', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = ['a', 'b', 'c'].map((question) => group.ask(question));
      expect(database.sent).toEqual([]);
      await timers.turn();
      expect(database.sent).toEqual([['a', 'b', 'c']]);
      await database.statement(0).answer();
      expect(await Promise.all(asked)).toEqual(['a in 0', 'b in 0', 'c in 0']);
    });

    it('what arrives while a statement is under way, and sends it when that one ends', async () => {
      const { group, timers, database } = fakeGroup();
      void group.ask('a');
      await timers.turn();
      const asked = [group.ask('b')];
      await timers.turn();
      asked.push(group.ask('c'));
      await timers.turn();
      expect(database.sent).toEqual([['a']]);
      await database.statement(0).answer();
      await timers.turn();
      expect(database.sent).toEqual([['a'], ['b', 'c']]);
      await database.statement(1).answer();
      expect(await Promise.all(asked)).toEqual(['b in 1', 'c in 1']);
    });

    it('no more than sizeMax questions in a statement, and has no more than concurrencyMax under way', async () => {
      const { group, timers, database } = fakeGroup({ sizeMax: 2, concurrencyMax: 2 });
      for (const question of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) void group.ask(question);
      await timers.turn();
      expect(database.sent).toEqual([
        ['a', 'b'],
        ['c', 'd'],
      ]);
      expect([group.underWay, group.waiting]).toEqual([2, 3]);
      await database.statement(1).answer();
      await timers.turn();
      expect(database.sent.slice(2)).toEqual([['e', 'f']]);
      expect([group.underWay, group.waiting]).toEqual([2, 1]);
    });

    it('real arrivals on the real clock', async () => {
      const sent: (readonly number[])[] = [];
      const group = new Group<number, number>({
        name: 'doubles',
        send: async (numbers) => {
          sent.push(numbers);
          return numbers.map((number) => number * 2);
        },
        sizeMax: 64,
        concurrencyMax: 1,
        waitingMax: 100,
        timeoutMs: 10_000,
        onBrokenConnection: 'fail',
      });
      expect(await Promise.all([group.ask(1), group.ask(2)])).toEqual([2, 4]);
      expect(sent).toEqual([[1, 2]]);
      await group.close();
    });
  });

  describe('refuses', () => {
    it('at once what comes when waitingMax wait, and takes questions again when there is room', async () => {
      const { group, timers, database } = fakeGroup({ waitingMax: 2 });
      void group.ask('a');
      await timers.turn();
      const asked = ['b', 'c', 'd'].map((question) => outcomeOf(group.ask(question)));
      expect(await outcomes(asked)).toEqual(['open', 'open', 'overloaded']);
      await database.statement(0).answer();
      await timers.turn();
      const later = outcomeOf(group.ask('e'));
      await database.statement(1).answer();
      await timers.turn();
      await database.statement(2).answer();
      expect(await outcomes([...asked, later])).toEqual(['b in 1', 'c in 1', 'overloaded', 'e in 2']);
    });

    it('with one that says when to come again', async () => {
      const { group } = fakeGroup({ waitingMax: 0 });
      await expect(group.ask('a')).rejects.toMatchObject({ name: 'UnavailableError', retryAfterSeconds: 1 });
    });
  });

  describe('shares', () => {
    const shareKey = (question: string): string | undefined => /^share/.exec(question)?.[0];

    it('one result among equal questions of a statement that is not yet sent', async () => {
      const { group, timers, database } = fakeGroup({ shareKey });
      const asked = ['share 1', 'own', 'share 2', 'own'].map((question) => group.ask(question));
      expect(group.waiting).toBe(4);
      await timers.turn();
      expect(database.sent).toEqual([['share 1', 'own', 'own']]);
      expect(group.waiting).toBe(0);
      await database.statement(0).answer();
      expect(await Promise.all(asked)).toEqual(['share 1 in 0', 'own in 0', 'share 1 in 0', 'own in 0']);
    });

    it('no result of a statement that was sent before the question arrived', async () => {
      const { group, timers, database } = fakeGroup({ shareKey });
      const early = group.ask('share 1');
      await timers.turn();
      const late = group.ask('share 2');
      await database.statement(0).answer();
      await timers.turn();
      await database.statement(1).answer();
      expect(await early).toBe('share 1 in 0');
      expect(await late).toBe('share 2 in 1');
    });

    it('no result with a question that was already given up', async () => {
      const { group, timers, database } = fakeGroup({ shareKey });
      void outcomeOf(group.ask('first'));
      await timers.turn();
      const given = outcomeOf(group.ask('share 1'));
      await timers.pass(1000);
      const late = outcomeOf(group.ask('share 2'));
      await database.statement(0).answer();
      await timers.turn();
      await database.statement(1).answer();
      expect(await outcomes([given, late])).toEqual(['timed-out', 'share 2 in 1']);
    });

    it('waiting room with none: each of those who share counts', async () => {
      const { group } = fakeGroup({ shareKey, waitingMax: 2 });
      const asked = ['share 1', 'share 2', 'share 3'].map((question) => outcomeOf(group.ask(question)));
      expect(await outcomes(asked)).toEqual(['open', 'open', 'overloaded']);
    });
  });

  describe('when the database answers with an error', () => {
    it.each(['ask-again', 'fail'] as const)('asks each question alone (%s)', async (onBrokenConnection) => {
      const { group, timers, database } = fakeGroup({ concurrencyMax: 2, onBrokenConnection });
      const asked = ['a', 'bad', 'c'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      asked.push(outcomeOf(group.ask('d')), outcomeOf(group.ask('e')));
      await database.statement(0).fail(failures.answered());
      await timers.turn();
      expect(database.sent).toEqual([['a', 'bad', 'c'], ['a'], ['bad']]);
      await database.statement(2).fail(failures.answered());
      await timers.turn();
      await database.statement(3).answer();
      await timers.turn();
      expect(database.sent.slice(3)).toEqual([['c'], ['d', 'e']]);
      await database.statement(1).answer();
      await database.statement(4).answer();
      expect(await outcomes(asked)).toEqual(['a in 1', 'Error: out of range', 'c in 3', 'd in 4', 'e in 4']);
    });

    it('does not ask a question again that was alone', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = outcomeOf(group.ask('bad'));
      await timers.turn();
      await database.statement(0).fail(failures.answered());
      await timers.turn();
      expect(await asked()).toBe('Error: out of range');
      expect(database.sent).toHaveLength(1);
    });

    it('asks nobody again when the error is not about the questions', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(failures.refused());
      await timers.turn();
      expect(await outcomes(asked)).toEqual(['database', 'database']);
      expect(database.sent).toHaveLength(1);
    });
  });

  describe('when no connection can be made', () => {
    it.each(['ask-again', 'fail'] as const)(
      'rests and asks again, earliest first (%s)',
      async (onBrokenConnection) => {
        const { group, timers, database } = fakeGroup({ sizeMax: 2, concurrencyMax: 2, onBrokenConnection });
        const asked = ['a', 'b', 'c', 'd'].map((question) => group.ask(question));
        await timers.turn();
        await database.statement(1).fail(failures.notSent());
        await database.statement(0).fail(failures.notSent());
        asked.push(group.ask('e'));
        await timers.turn();
        expect(database.sent).toHaveLength(2);
        await timers.pass(REST_MS + SWEEP_MS);
        expect(database.sent.slice(2)).toEqual([['a', 'b']]);
        await database.statement(2).answer();
        await timers.turn();
        expect(database.sent.slice(3)).toEqual([['c', 'd'], ['e']]);
        await database.statement(3).answer();
        await database.statement(4).answer();
        expect(await Promise.all(asked)).toEqual(['a in 2', 'b in 2', 'c in 3', 'd in 3', 'e in 4']);
      },
    );

    it('tries one statement at a time, and no more often than it rests', async () => {
      const { group, timers, database } = fakeGroup({ sizeMax: 1, concurrencyMax: 8 });
      const asked = Array.from({ length: 16 }, (_, i) => outcomeOf(group.ask(String(i))));
      await timers.turn();
      await Promise.all(database.statements.map((statement) => statement.fail(failures.notSent())));
      let tries = 0;
      for (let passed = 0; passed < 900; passed += SWEEP_MS) {
        await timers.pass(SWEEP_MS);
        expect(group.underWay).toBeLessThanOrEqual(1);
        if (group.underWay === 0) continue;
        tries += 1;
        await database.statements.at(-1)?.fail(failures.notSent());
      }
      expect(tries).toBeGreaterThan(10);
      expect(tries).toBeLessThanOrEqual(900 / REST_MS);
      await timers.pass(100);
      expect(new Set(await outcomes(asked))).toEqual(new Set(['timed-out']));
    });

    it('names that as the cause when time is up', async () => {
      const { group, timers, database } = fakeGroup();
      const refused = failures.notSent();
      const asked = group.ask('a').catch((error: unknown) => error);
      await timers.turn();
      await database.statement(0).fail(refused);
      await timers.pass(1000);
      await database.statement(1).fail(refused);
      expect(await asked).toMatchObject({ reason: 'timed-out', cause: refused });
    });
  });

  describe('when the connection breaks under way', () => {
    it('asks reads once more, and no third time', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(failures.broken());
      const later = outcomeOf(group.ask('c'));
      await timers.pass(REST_MS + SWEEP_MS);
      expect(database.sent.slice(1)).toEqual([['a', 'b', 'c']]);
      await database.statement(1).fail(failures.broken());
      await timers.pass(REST_MS + SWEEP_MS);
      expect(database.sent.slice(2)).toEqual([['c']]);
      await database.statement(2).answer();
      expect(await outcomes([...asked, later])).toEqual(['database', 'database', 'c in 2']);
    });

    it('answers admissions and writes as unavailable, and sends those that were waiting', async () => {
      const { group, timers, database } = fakeGroup({ onBrokenConnection: 'fail' });
      const asked = [outcomeOf(group.ask('a'))];
      await timers.turn();
      asked.push(outcomeOf(group.ask('b')));
      await database.statement(0).fail(failures.broken());
      await timers.pass(REST_MS + SWEEP_MS);
      expect(database.sent).toEqual([['a'], ['b']]);
      await database.statement(1).answer();
      expect(await outcomes(asked)).toEqual(['database', 'b in 1']);
    });
  });

  describe('when the program fails', () => {
    it('asks reads alone, so that only the one that fails it gets the fault', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = ['a', 'bad'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(failures.fault());
      await timers.turn();
      await database.statement(1).answer();
      await timers.turn();
      await database.statement(2).fail(failures.fault());
      expect(await outcomes(asked)).toEqual(['a in 1', 'TypeError: rows is not iterable']);
    });

    it('does no admission or write twice, for it may have committed', async () => {
      const { group, timers, database } = fakeGroup({ onBrokenConnection: 'fail' });
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(failures.fault());
      await timers.turn();
      expect(database.sent).toHaveLength(1);
      expect(new Set(await outcomes(asked))).toEqual(new Set(['TypeError: rows is not iterable']));
    });

    it('gives nobody the answer of another when the number of answers is wrong', async () => {
      const { group, timers, database } = fakeGroup({ onBrokenConnection: 'fail' });
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).answerWith(['only one']);
      expect(new Set(await outcomes(asked))).toEqual(new Set(['Error: animals: 1 answers to 2 questions']));
    });

    it('survives a sender that throws before it returns a promise', async () => {
      const { group, timers } = fakeGroup({
        send: () => {
          throw failures.fault();
        },
      });
      const asked = outcomeOf(group.ask('a'));
      await timers.turn();
      expect(await asked()).toBe('TypeError: rows is not iterable');
      expect(group.underWay).toBe(0);
    });
  });

  describe('when time is up', () => {
    it('gives up what waits and what is under way, at most a sweep early and never late', async () => {
      const { group, timers } = fakeGroup();
      const underWay = outcomeOf(group.ask('a'));
      await timers.turn();
      await timers.pass(10);
      const waiting = outcomeOf(group.ask('b'));
      await timers.pass(1000 - SWEEP_MS - 10);
      expect(await outcomes([underWay, waiting])).toEqual(['open', 'open']);
      await timers.pass(SWEEP_MS);
      expect(await underWay()).toBe('timed-out');
      await timers.pass(10);
      expect(await waiting()).toBe('timed-out');
      expect(group.waiting).toBe(0);
    });

    it('keeps the place of the statement until that ends, and ignores its late answer', async () => {
      const { group, timers, database } = fakeGroup();
      const late = outcomeOf(group.ask('a'));
      await timers.turn();
      await timers.pass(1000);
      const next = outcomeOf(group.ask('b'));
      await timers.turn();
      expect(database.sent).toEqual([['a']]);
      await database.statement(0).answer();
      await timers.turn();
      await database.statement(1).answer();
      expect(await outcomes([late, next])).toEqual(['timed-out', 'b in 1']);
    });

    it('does not ask again what was given up', async () => {
      const { group, timers, database } = fakeGroup();
      void outcomeOf(group.ask('a'));
      await timers.turn();
      await timers.pass(1000);
      await database.statement(0).fail(failures.broken());
      await timers.pass(1000);
      expect(database.sent).toEqual([['a']]);
      expect(group.waiting).toBe(0);
    });

    it.each(['pass', 'block'] as const)(
      'uses the place of a statement that never ends (time: %s)',
      async (time) => {
        const { group, timers, database } = fakeGroup();
        const lost = outcomeOf(group.ask('a'));
        await timers.turn();
        await timers[time](1000 * TIMEOUTS_UNTIL_LOST);
        expect(await lost()).toBe('timed-out');
        const next = outcomeOf(group.ask('b'));
        await timers.pass(REST_MS + SWEEP_MS);
        expect(database.sent).toEqual([['a'], ['b']]);
        await database.statement(0).fail(failures.broken());
        expect(group.underWay).toBe(1);
        await database.statement(1).answer();
        expect(await next()).toBe('b in 1');
      },
    );

    it('needs one timer, and none when it has nothing to do', async () => {
      const { group, timers, database } = fakeGroup();
      expect(timers.running).toBe(0);
      for (const question of ['a', 'b', 'c', 'd', 'e', 'f']) void group.ask(question);
      await timers.turn();
      expect(timers.running).toBe(1);
      await database.statement(0).answer();
      await timers.turn();
      await database.statement(1).answer();
      await timers.pass(SWEEP_MS);
      expect(timers.running).toBe(0);
      void group.ask('g');
      expect(timers.running).toBe(1);
    });
  });

  describe('closing', () => {
    it('refuses what is new, and resolves when all that was asked is settled', async () => {
      const { group, timers, database } = fakeGroup();
      const asked = [outcomeOf(group.ask('a'))];
      await timers.turn();
      asked.push(outcomeOf(group.ask('b')));
      let closed = false;
      const closing = group.close().then(() => (closed = true));
      asked.push(outcomeOf(group.ask('c')));
      await database.statement(0).answer();
      await timers.turn();
      expect(closed).toBe(false);
      await database.statement(1).answer();
      await closing;
      expect(await outcomes(asked)).toEqual(['a in 0', 'b in 1', 'closing']);
    });

    it('takes no longer than timeoutMs, even if the database never answers', async () => {
      const { group, timers } = fakeGroup();
      const asked = ['a', 'b', 'c', 'd', 'e'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      const closing = group.close();
      await timers.pass(1000);
      await closing;
      expect(new Set(await outcomes(asked))).toEqual(new Set(['timed-out']));
    });
  });

  it('reports each statement with its size, its time and its failure', async () => {
    const reports: StatementReport[] = [];
    const { group, timers, database } = fakeGroup({ onStatement: (report) => void reports.push(report) });
    void group.ask('a');
    void group.ask('b');
    await timers.turn();
    await timers.pass(30);
    const error = failures.broken();
    await database.statement(0).fail(error);
    await timers.pass(REST_MS + SWEEP_MS);
    await database.statement(1).answer();
    expect(reports).toEqual([
      { group: 'animals', questions: 2, durationMs: 30, failure: 'broken', error },
      {
        group: 'animals',
        questions: 2,
        durationMs: expect.any(Number),
        failure: undefined,
        error: undefined,
      },
    ]);
  });
});
