import { describe, expect, it } from '@jest/globals';
import { failures, fakeGroup, outcomeOf, outcomes } from '../../test/support/fake-group.js';
import { REST_MS, SWEEP_MS } from './group.js';
import { PartlyAnswered } from './group-options.js';

describe('a group', () => {
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

    it('lets no later question overtake those that are asked alone', async () => {
      const { group, timers, database } = fakeGroup({ concurrencyMax: 2 });
      void outcomeOf(group.ask('a'));
      await timers.turn();
      for (const question of ['b', 'c']) void outcomeOf(group.ask(question));
      await timers.turn();
      void outcomeOf(group.ask('d'));
      await database.statement(0).fail(failures.notSent());
      await database.statement(1).fail(failures.answered());
      await timers.turn();
      expect(database.sent).toEqual([['a'], ['b', 'c'], ['a'], ['b']]);
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

  describe('when the server ended a statement by a time-out', () => {
    it.each(['ask-again', 'fail'] as const)(
      'sends its items again together until their deadline, after a pause (%s)',
      async (onBrokenConnection) => {
        const { group, timers, database } = fakeGroup({ concurrencyMax: 2, onBrokenConnection });
        const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
        await timers.turn();
        await database.statement(0).fail(failures.serverTimeout());
        await timers.turn();
        expect(database.sent).toHaveLength(1);
        await timers.pass(REST_MS + SWEEP_MS);
        await database.statement(1).fail(failures.serverTimeout());
        await timers.pass(REST_MS + SWEEP_MS);
        expect(database.sent).toEqual([
          ['a', 'b'],
          ['a', 'b'],
          ['a', 'b'],
        ]);
        await database.statement(2).answer();
        expect(await outcomes(asked)).toEqual(['a in 2', 'b in 2']);
      },
    );

    it('sends writes again only while the server would end them before their deadline', async () => {
      const { group, timers, database } = fakeGroup({ endsWithinMs: 600, onBrokenConnection: 'fail' });
      const asked = outcomeOf(group.ask('a'));
      await timers.turn();
      await timers.pass(401);
      await database.statement(0).fail(failures.serverTimeout());
      await timers.pass(REST_MS + SWEEP_MS);
      expect([await asked(), database.sent.length]).toEqual(['timed-out', 1]);
    });

    it('sends them once more alone where one item may be the cause', async () => {
      const { group, timers, database } = fakeGroup({ onServerTimeout: 'alone' });
      const asked = ['a', 'locked'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(failures.serverTimeout());
      await timers.turn();
      await database.statement(1).answer();
      await timers.turn();
      await database.statement(2).fail(failures.serverTimeout());
      expect(await outcomes(asked)).toEqual(['a in 1', 'database']);
    });
  });

  describe('when some questions were answered before the statement failed', () => {
    it('gives them their answers, and asks again about the others alone', async () => {
      const { group, timers, database } = fakeGroup({ onBrokenConnection: 'fail' });
      const asked = ['a', 'b', 'c'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(new PartlyAnswered([undefined, 'done'], failures.answered()));
      await timers.turn();
      expect(await outcomes(asked)).toEqual(['open', 'done', 'open']);
      expect(database.sent.slice(1)).toEqual([['a']]);
    });

    it('refuses the others when nobody knows what became of them', async () => {
      const { group, timers, database } = fakeGroup({ onBrokenConnection: 'fail' });
      const asked = ['a', 'b'].map((question) => outcomeOf(group.ask(question)));
      await timers.turn();
      await database.statement(0).fail(new PartlyAnswered(['done'], failures.broken()));
      expect(await outcomes(asked)).toEqual(['done', 'database']);
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
      expect(new Set(await outcomes(asked))).toEqual(new Set(['Error: animals: 1 results for 2 items']));
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
});
