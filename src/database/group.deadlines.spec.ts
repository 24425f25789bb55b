import { describe, expect, it } from '@jest/globals';
import { failures, fakeGroup, outcomeOf, outcomes } from '../../test/support/fake-group.js';
import { REST_MS, SWEEP_MS, TIMEOUTS_UNTIL_LOST, type StatementReport } from './group.js';

describe('a group', () => {
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

    it('sends nothing any more that has waited for as long as it may, also when time was not looked at', async () => {
      const { group, timers, database } = fakeGroup({ sendWithinMs: 400, concurrencyMax: 1 });
      const sent = outcomeOf(group.ask('a'));
      await timers.turn();
      const waiting = outcomeOf(group.ask('b'));
      await timers.pass(400 - SWEEP_MS);
      expect(await outcomes([sent, waiting])).toEqual(['open', 'open']);
      await timers.pass(SWEEP_MS);
      expect(await outcomes([sent, waiting])).toEqual(['open', 'timed-out']);

      const blocked = outcomeOf(group.ask('c'));
      await timers.block(401);
      await database.statement(0).answer();
      await timers.turn();
      expect(await outcomes([sent, blocked])).toEqual(['a in 0', 'timed-out']);
      expect(database.sent).toEqual([['a']]);
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
        const reports: StatementReport[] = [];
        const { group, timers, database } = fakeGroup({ onStatement: (report) => void reports.push(report) });
        const lost = outcomeOf(group.ask('a'));
        await timers.turn();
        await timers[time](1000 * TIMEOUTS_UNTIL_LOST);
        expect(await lost()).toBe('timed-out');
        const next = outcomeOf(group.ask('b'));
        await timers.pass(REST_MS + SWEEP_MS);
        expect(database.sent).toEqual([['a'], ['b']]);
        await database.statement(1).answer();
        expect(await next()).toBe('b in 1');
        expect(reports.map(({ failure }) => failure)).toEqual(['broken', undefined]);
      },
    );

    it.each(['answer', 'fail'] as const)(
      'takes no notice of a lost statement that comes back (%s)',
      async (end) => {
        const reports: StatementReport[] = [];
        const { group, timers, database } = fakeGroup({ onStatement: (report) => void reports.push(report) });
        void outcomeOf(group.ask('a'));
        await timers.turn();
        await timers.pass(1000 * TIMEOUTS_UNTIL_LOST);
        await database.statement(0)[end](failures.broken());
        expect(reports).toHaveLength(1);
        expect([group.underWay, group.waiting]).toEqual([0, 0]);
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
});
