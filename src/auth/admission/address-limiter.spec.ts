import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AddressLimiter, type AddressLimiterOptions } from './address-limiter.js';

const NOON_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

const limiter = (options: Partial<AddressLimiterOptions> = {}): AddressLimiter =>
  new AddressLimiter({
    limitPerMinute: 3,
    floodAfter: 1,
    addressesMax: 2,
    lookupsMax: 4,
    allLookupsMax: 20_000,
    ...options,
  });

/** How many of `attempts` charges are allowed. */
const allowedOf = (attempts: number, addresses: AddressLimiter, address: string, nowMs: number): number =>
  Array.from({ length: attempts }, () => addresses.charge(address, nowMs)).filter(({ allowed }) => allowed)
    .length;

/** A /64. */
const networkOf = (site: number, network: number): string => `2001:db8:${site}:${network.toString(16)}::/64`;

describe('a charge', () => {
  it('belongs to its UTC clock minute, to the millisecond', () => {
    const addresses = limiter();
    expect(allowedOf(9, addresses, '192.0.2.1', NOON_MS + MINUTE_MS - 1)).toBe(3);
    expect(addresses.peek('192.0.2.1', NOON_MS + MINUTE_MS - 1).resetAtMs).toBe(NOON_MS + MINUTE_MS);
    expect(addresses.peek('192.0.2.1', NOON_MS + MINUTE_MS)).toMatchObject({
      remaining: 3,
      resetAtMs: NOON_MS + 2 * MINUTE_MS,
    });
    expect(allowedOf(9, addresses, '192.0.2.1', NOON_MS + MINUTE_MS)).toBe(3);
  });

  it('floods from floodAfter past the limit on', () => {
    const addresses = limiter({ floodAfter: 2 });
    const flooding = Array.from({ length: 6 }, () => [
      addresses.peek('192.0.2.1', NOON_MS).isFlooding,
      addresses.charge('192.0.2.1', NOON_MS).isFlooding,
    ]);
    expect(flooding.flat()).toEqual([...Array<boolean>(10).fill(false), true, true]);
  });

  it('may be fractional, but headers show whole numbers', () => {
    const addresses = limiter();
    const charges = Array.from({ length: 50 }, () => addresses.charge('192.0.2.1', NOON_MS, 1 / 16));
    expect(charges.map(({ allowed }) => allowed).lastIndexOf(true)).toBe(47);
    expect([0, 15, 16, 47, 49].map((nth) => charges[nth]?.remaining)).toEqual([2, 2, 1, 0, 0]);
  });
});

describe('a full table', () => {
  it('holds its bound under a flood of 200,000 addresses', () => {
    const addresses = limiter({ limitPerMinute: 60, addressesMax: 50_000 });
    let allowed = 0;
    for (let i = 0; i < 200_000; i += 1) {
      if (addresses.charge(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, NOON_MS).allowed) allowed += 1;
    }
    expect(addresses.size.counted).toBe(50_001);
    expect(allowed).toBe(50_000 + 60);
  });
});

describe('an IPv6 /48', () => {
  it('has ten times the limit of an address, and beyond it takes one table entry for all its addresses', () => {
    const addresses = limiter({ limitPerMinute: 6, addressesMax: 1000 });
    const charges = Array.from({ length: 60_000 }, (_, n) => addresses.charge(networkOf(1, n), NOON_MS));
    expect(charges.filter(({ allowed }) => allowed)).toHaveLength(60);
    expect(charges.at(58)?.remaining).toBe(1);
    expect(addresses.size.counted).toBe(61);
    expect(addresses.peek(networkOf(1, 65_000), NOON_MS)).toMatchObject({ remaining: 0 });
    expect(addresses.charge(networkOf(2, 1), NOON_MS)).toMatchObject({ allowed: true, remaining: 5 });
  });

  it('gives one address at most its own limit', () => {
    const addresses = limiter({ limitPerMinute: 6, addressesMax: 1000 });
    expect(allowedOf(1000, addresses, networkOf(1, 1), NOON_MS)).toBe(6);
    const others = Array.from({ length: 99 }, (_, n) => addresses.charge(networkOf(1, n + 2), NOON_MS));
    expect(others.filter(({ allowed }) => allowed)).toHaveLength(54);
  });
});

describe('the limiter', () => {
  it('agrees with a naive model over any charges, peeks and times', () => {
    const step = fc.record({
      address: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      isCharge: fc.boolean(),
      // Mostly forwards by seconds; now and then over a minute, a little back, or far back.
      passedMs: fc.oneof(
        { weight: 8, arbitrary: fc.nat(9000) },
        { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 200_000 }) },
        { weight: 2, arbitrary: fc.integer({ min: -9000, max: 0 }) },
        { weight: 1, arbitrary: fc.integer({ min: -300_000, max: -60_000 }) },
      ),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 120 }), (limit, steps) => {
        const addresses = limiter({ limitPerMinute: limit, floodAfter: 2, addressesMax: 3 });
        let nowMs = NOON_MS;
        let minute = Number.NEGATIVE_INFINITY;
        let named: string[] = [];
        let charges: string[] = [];
        for (const { address, isCharge, passedMs } of steps) {
          nowMs += passedMs;
          const present = Math.floor(nowMs / MINUTE_MS);
          if (present > minute) [named, charges] = [[], []];
          if (present > minute || present < minute - 1) minute = present;

          const bucket = named.includes(address) || named.length < 3 ? address : 'shared';
          const used = charges.filter((charged) => charged === bucket).length;
          const state = { limit, resetAtMs: (minute + 1) * MINUTE_MS };
          if (!isCharge) {
            expect(addresses.peek(address, nowMs)).toEqual({
              ...state,
              remaining: Math.max(0, limit - used),
              isFlooding: used >= limit + 2,
            });
            continue;
          }
          charges.push(bucket);
          if (bucket === address && !named.includes(address)) named.push(address);
          expect(addresses.charge(address, nowMs)).toEqual({
            ...state,
            remaining: Math.max(0, limit - used - 1),
            allowed: used < limit,
            isFlooding: used >= limit + 2,
          });
          expect(state.resetAtMs).toBeGreaterThan(nowMs);
          expect(addresses.size.counted).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});

describe('places for lookups', () => {
  it('are lookupsMax for an address, and free again when they are given back', () => {
    const addresses = limiter({ lookupsMax: 2 });
    const first = addresses.enterLookup('192.0.2.1');
    expect(addresses.enterLookup('192.0.2.1')).toBeDefined();
    expect(addresses.enterLookup('192.0.2.1')).toBeUndefined();
    first?.();
    expect(addresses.enterLookup('192.0.2.1')).toBeDefined();
    expect(addresses.enterLookup('192.0.2.1')).toBeUndefined();
  });

  it('are allLookupsMax for all addresses', () => {
    const addresses = limiter({ allLookupsMax: 2 });
    const [first, second, third] = ['1', '2', '3'].map((last) => addresses.enterLookup(`192.0.2.${last}`));
    expect([first, second, third].map((leave) => leave !== undefined)).toEqual([true, true, false]);
    first?.();
    expect(addresses.enterLookup('192.0.2.3')).toBeDefined();
    expect(addresses.enterLookup('192.0.2.4')).toBeUndefined();
  });

  it('stay taken into the next minute while their lookups are in flight', () => {
    const addresses = limiter({ lookupsMax: 1 });
    addresses.charge('192.0.2.1', NOON_MS);
    const leave = addresses.enterLookup('192.0.2.1');
    addresses.charge('192.0.2.1', NOON_MS + MINUTE_MS);
    expect(addresses.enterLookup('192.0.2.1')).toBeUndefined();
    leave?.();
    expect(addresses.enterLookup('192.0.2.1')).toBeDefined();
  });

  it('are per address, however many addresses there are, and leave no state when released', () => {
    const addresses = limiter({ addressesMax: 10, lookupsMax: 4 });
    const held = Array.from({ length: 10_000 }, (_, i) => addresses.enterLookup(`10.0.${i >> 8}.${i & 255}`));
    expect(held).not.toContain(undefined);
    expect(addresses.size.lookingUp).toBe(10_000);
    for (const leave of held) leave?.();
    expect(addresses.size.lookingUp).toBe(0);
  });

  it('do not depend on the table of counts: a full one takes no place from a valid key', () => {
    const addresses = limiter({ addressesMax: 2 });
    for (let i = 0; i < 10; i += 1) addresses.charge(`192.0.2.${i}`, NOON_MS);
    expect(Array.from({ length: 5 }, () => addresses.enterLookup('192.0.2.99') !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});
