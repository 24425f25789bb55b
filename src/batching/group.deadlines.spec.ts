import { describe, expect, it } from '@jest/globals';
import { failures, fakeGroup, outcomeOf, outcomes } from '../../test/support/fake-group.js';
import { SWEEP_MS } from './group.js';

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

    it('sends nothing that the server may not have ended by its deadline, also when time was not looked at', async () => {
      const { group, timers, database } = fakeGroup({ endsWithinMs: 600, concurrencyMax: 1 });
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

    it('keeps the place of a statement for as long as it takes, and gives up what waits behind it', async () => {
      const { group, timers, database } = fakeGroup();
      const committing = outcomeOf(group.ask('a'));
      await timers.turn();
      await timers.pass(30_000);
      const waiting = outcomeOf(group.ask('b'));
      await timers.pass(1000);
      expect(await outcomes([committing, waiting])).toEqual(['timed-out', 'timed-out']);
      expect([database.sent, group.underWay, group.waiting]).toEqual([[['a']], 1, 0]);
      await database.statement(0).answer();
      const next = outcomeOf(group.ask('c'));
      await timers.turn();
      await database.statement(1).answer();
      expect(await next()).toBe('c in 1');
    });

    it('goes by the deadline of each item, wherever it stands in the queue', async () => {
      const { group, timers } = fakeGroup({ concurrencyMax: 1 });
      void outcomeOf(group.ask('sent', 5000));
      await timers.turn();
      const waiting = [1900, 300, 700].map((deadline) => outcomeOf(group.ask(String(deadline), deadline)));
      await timers.pass(300);
      expect(await outcomes(waiting)).toEqual(['open', 'timed-out', 'open']);
      await timers.pass(400);
      expect(await outcomes(waiting)).toEqual(['open', 'timed-out', 'timed-out']);
      await timers.pass(1200);
      expect(await outcomes(waiting)).toEqual(['timed-out', 'timed-out', 'timed-out']);
    });

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
