import { expect, it } from '@jest/globals';
import { RowLocks } from './locks.js';

it.each([31, 32, 33])(
  'of %d locked rows at most 32 may be tried again at each tick, the earliest first',
  (count) => {
    const locks = new RowLocks();
    const rows = Array.from({ length: count }, (_, row) => BigInt(row));
    for (const row of rows) {
      locks.claim(row);
      locks.found(row);
    }
    locks.tick(() => true);
    expect(rows.filter((row) => locks.claim(row))).toEqual(rows.slice(0, 32));
    locks.tick(() => true);
    expect(rows.filter((row) => locks.claim(row))).toEqual(rows.slice(32));
  },
);
