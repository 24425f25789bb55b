import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotSentError } from '../errors/database-errors.js';
import { DatabaseState } from './database-state.js';

let said: string[];
let state: DatabaseState;
let nowMs: number;

beforeEach(() => {
  said = [];
  nowMs = 1000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  state = new DatabaseState((line) => said.push(line));
});
afterEach(() => void jest.restoreAllMocks());

describe('the state of the database', () => {
  it('is logged when it is down, once a minute, and on recovery', () => {
    state.worked();
    for (let second = 0; second < 150; second += 1) {
      state.failed(new Error(`fault ${second}`));
      nowMs += 1000;
    }
    state.worked();
    state.worked();
    expect(said).toEqual([
      'the database is away: fault 0',
      'the database is away: fault 60',
      'the database is away: fault 120',
      'the database is back after 150.0 s',
    ]);
  });

  it('lists outages of a second or longer, each once', () => {
    for (const lasting of [999, 1000, 30_000]) {
      state.failed(new Error('away'));
      nowMs += lasting;
      state.worked();
    }
    expect(state.takeOutages()).toEqual([
      { from: 1999, until: 2999 },
      { from: 2999, until: 32_999 },
    ]);
    expect(state.takeOutages()).toEqual([]);
  });

  it('is logged once a minute while it is flapping', () => {
    for (let second = 0; second < 70; second += 1) {
      state.failed(new Error(`fault ${second}`));
      state.worked();
      nowMs += 1000;
    }
    expect(said.filter((line) => line.includes('away'))).toHaveLength(2);
    expect(said.filter((line) => line.includes('back'))).toHaveLength(2);
  });

  it('is not down if the pool is exhausted', () => {
    state.failed(new NotSentError('no connection was available in time'));
    expect(said).toEqual([]);
  });
});
