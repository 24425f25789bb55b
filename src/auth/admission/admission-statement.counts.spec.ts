import { describe, expect, it } from '@jest/globals';
import {
  decide,
  sendOnce,
  countersOf,
  type Key,
  makeKey,
  MIDNIGHT,
  NOON,
  pool,
  statement,
  states,
  times,
} from '../../../test/support/admission/statement.js';

const INT4_MAX = 2 ** 31 - 1;
const FAR_ABOVE = 2 ** 40;

/** Counts that only a flood of a whole day could reach. */
const setCounts = (key: Key, assignments: string): Promise<unknown> =>
  pool.query(`update api_key_counters set ${assignments} where api_key_id = $1`, [key.id]);

describe('counts above 2^31', () => {
  it('reject one key at the highest limit, and no other request of its batch', async () => {
    const [full, other] = [await makeKey('free', { minute: INT4_MAX, day: INT4_MAX }), await makeKey()];
    await decide(full.hash, 1, NOON);
    await decide(other.hash, 1, NOON);
    await setCounts(full, `minute_admitted = ${INT4_MAX - 1}, day_admitted = ${INT4_MAX - 1}`);
    const batch = [other.hash, ...times(3, full.hash), other.hash];
    const decisions = await statement.decide(batch, new Date(NOON));
    expect(states(decisions)).toEqual(['admitted', 'admitted', 'limited', 'limited', 'admitted']);
    expect(decisions[1]).toMatchObject({ windows: [{ remaining: 0 }, { remaining: 0 }] });
    expect(states(await decide(full.hash, 2, NOON))).toEqual(['limited', 'limited']);
  });

  it('go on counting rejections', async () => {
    const key = await makeKey('free', { minute: 1 });
    await sendOnce(key.hash, NOON);
    // A multiple of the 20 rejections that start a ban, so that the next ban is 20 rejections away.
    const counted = Math.floor(INT4_MAX / 20) * 20;
    await setCounts(key, `minute_refused = ${counted}, day_refused = ${counted}`);
    await decide(key.hash, 20, NOON);
    expect((await countersOf(key)).counters).toMatchObject({
      windows: { minute: { refused: counted + 20 }, day: { refused: counted + 20 } },
      ban: { atMs: NOON },
    });
  });

  it('move to history at midnight, adding to existing rows', async () => {
    const key = await makeKey();
    await sendOnce(key.hash, NOON);
    await setCounts(key, `day_admitted = ${FAR_ABOVE}, day_refused = ${INT4_MAX}`);
    await pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused) values ($1, '2026-11-20', 1, ${INT4_MAX})`,
      [key.id],
    );
    expect(await sendOnce(key.hash, MIDNIGHT)).toMatchObject({
      state: 'admitted',
      windows: [{}, { remaining: 999 }],
    });
    expect((await countersOf(key)).usage).toEqual([[Date.parse('2026-11-20'), FAR_ABOVE + 1, 2 * INT4_MAX]]);
  });
});
