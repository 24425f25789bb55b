import { describe, expect, it } from '@jest/globals';
import { failures, fakeGroup, outcomeOf, outcomes, settled } from '../../test/support/fake-group.js';
import { Group, REST_MS, SWEEP_MS, type StatementReport } from './group.js';

/** `share 1` and `share 2` are equal questions. */
const shareKey = (question: string): string | undefined => /^share/.exec(question)?.[0];

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

    it('no more than fit into a statement before it sends that, also within a turn', async () => {
      const { group, timers, database } = fakeGroup({ sizeMax: 5, concurrencyMax: 2 });
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const question of names) void group.ask(question);
      void group.ask('late');
      await settled();
      expect(database.sent).toEqual([names]);
      await timers.turn();
      expect(database.sent).toEqual([names, ['late']]);
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

    it('items of different keys in turns, however many one key has', async () => {
      const { group, timers, database } = fakeGroup({
        sizeMax: 2,
        concurrencyMax: 1,
        fairKey: (question) => question.slice(0, 1),
      });
      for (const question of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) void group.ask(question);
      expect(['a', 'b', 'c'].map((key) => group.aheadOf(key))).toEqual([4, 3, 2]);
      await timers.turn();
      await database.statement(0).answer();
      await timers.turn();
      expect(database.sent).toEqual([
        ['a1', 'a2'],
        ['a3', 'b1'],
      ]);
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

  describe('closing', () => {
    it('refuses what is new', async () => {
      const { group } = fakeGroup();
      await group.close();
      expect(await outcomeOf(group.ask('a'))()).toBe('closing');
    });

    it('resolves when all that is under way or waits is settled, and not before', async () => {
      const { group, timers, database } = fakeGroup({ sizeMax: 1 });
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      const closing = outcomeOf(group.close().then(() => 'closed'));
      await database.statement(0).answer();
      expect(await closing()).toBe('open');
      await timers.turn();
      const closingAgain = outcomeOf(group.close().then(() => 'closed'));
      expect(await outcomes([closing, closingAgain])).toEqual(['open', 'open']);
      await database.statement(1).answer();
      expect(await outcomes([...asked, closing, closingAgain])).toEqual([
        'a in 0',
        'b in 1',
        'closed',
        'closed',
      ]);
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
    const asked = [expect.objectContaining({ askedAt: 0 }), expect.objectContaining({ askedAt: 0 })];
    expect(reports).toEqual([
      { group: 'animals', questions: 2, asked, sentAt: 0, durationMs: 30, failure: 'broken', error },
      {
        group: 'animals',
        questions: 2,
        asked,
        sentAt: expect.any(Number),
        durationMs: expect.any(Number),
        failure: undefined,
        error: undefined,
      },
    ]);
  });
});
