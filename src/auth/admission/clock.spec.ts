import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DatabaseClock } from './clock.js';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 10, 20, 12);

/** A database at noon, a replica whose wall clock is an hour fast, and time that passes when the test says so. */
function scene() {
  const time = { passedMs: 0, databaseStepMs: 0 };
  const databaseMs = (): number => NOON_MS + time.passedMs + time.databaseStepMs;
  const clock = new DatabaseClock(
    () => 5000 + time.passedMs,
    () => NOON_MS + HOUR_MS + time.passedMs,
  );
  return {
    clock,
    databaseMs,
    pass: (ms: number) => void (time.passedMs += ms),
    setDatabaseBack: (ms: number) => void (time.databaseStepMs -= ms),
    /** An result that took `delayMs` to arrive. */
    observe: (delayMs = 0) => {
      const reportedMs = databaseMs();
      time.passedMs += delayMs;
      clock.observe(reportedMs);
    },
  };
}

describe('DatabaseClock', () => {
  it('is the wall clock until the database has reported its time', () => {
    const { clock, pass } = scene();
    expect(clock.nowMs()).toBe(NOON_MS + HOUR_MS);
    pass(10);
    expect(clock.nowMs()).toBe(NOON_MS + HOUR_MS + 10);
  });

  it('freezes if set back by less than a second, and follows a whole second', () => {
    const time = { wallMs: NOON_MS };
    const clock = new DatabaseClock(
      () => 0,
      () => time.wallMs,
    );
    const readings = [0, -999, -1000, -1999].map((stepMs) => {
      time.wallMs = NOON_MS + stepMs;
      return clock.nowMs() - NOON_MS;
    });
    expect(readings).toEqual([0, 0, -1000, -1000]);
  });

  it("is the database's time after one result, though the wall clock is an hour wrong", () => {
    const { clock, observe, pass } = scene();
    clock.nowMs();
    observe();
    expect(clock.nowMs()).toBe(NOON_MS);
    pass(HOUR_MS);
    expect(clock.nowMs()).toBe(NOON_MS + HOUR_MS);
  });

  it('keeps the fastest observation, in any order', () => {
    const { clock, databaseMs, observe, pass } = scene();
    observe(400);
    expect(clock.nowMs()).toBe(databaseMs() - 400);
    observe(3);
    expect(clock.nowMs()).toBe(databaseMs() - 3);
    observe(2500);
    clock.observe(NOON_MS);
    expect(clock.nowMs()).toBe(databaseMs() - 3);
    pass(31_000);
    observe(900);
    expect(clock.nowMs()).toBe(databaseMs() - 3);
  });

  it('follows a database clock that was set forward at once', () => {
    const { clock, databaseMs, observe, setDatabaseBack } = scene();
    observe();
    setDatabaseBack(-7000);
    observe();
    expect(clock.nowMs()).toBe(databaseMs());
  });

  it('follows a database clock that was set back within a minute of results, not at the first', () => {
    const { clock, databaseMs, observe, pass, setDatabaseBack } = scene();
    observe();
    setDatabaseBack(HOUR_MS);
    observe();
    expect(clock.nowMs()).toBe(databaseMs() + HOUR_MS);
    for (let second = 0; second < 60; second += 1) {
      pass(1000);
      observe();
    }
    expect(clock.nowMs()).toBe(databaseMs());
  });

  it('stands still for a step back below a second', () => {
    const { clock, databaseMs, observe, pass, setDatabaseBack } = scene();
    observe();
    setDatabaseBack(300);
    let previousMs = clock.nowMs();
    for (let i = 0; i < 700; i += 1) {
      pass(100);
      observe();
      const next = clock.nowMs();
      expect(next).toBeGreaterThanOrEqual(previousMs);
      previousMs = next;
    }
    expect(previousMs).toBe(databaseMs());
  });

  it('is never ahead of the database, never goes back, and lags at most by the fastest result', () => {
    const step = fc.record({ idleMs: fc.nat(20_000), delayMs: fc.nat(900) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const { clock, databaseMs, observe, pass } = scene();
        let previousMs = Number.NEGATIVE_INFINITY;
        for (const { idleMs, delayMs } of steps) {
          observe(delayMs);
          pass(idleMs);
          const nowMs = clock.nowMs();
          expect(nowMs).toBeLessThanOrEqual(databaseMs());
          expect(nowMs).toBeGreaterThanOrEqual(databaseMs() - 900);
          expect(nowMs).toBeGreaterThanOrEqual(previousMs);
          previousMs = nowMs;
        }
      }),
    );
  });
});
