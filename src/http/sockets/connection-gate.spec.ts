import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConnectionGate } from './connection-gate.js';

const gateOf = (connectionsMax: number, connectionsPerAddressMax: number): ConnectionGate =>
  new ConnectionGate({ connectionsMax, connectionsPerAddressMax });

describe('ConnectionGate', () => {
  it('takes so many of one address, and others besides', () => {
    const gate = gateOf(10, 2);
    const outcomes = ['a', 'a', 'a', 'b', 'a'].map((address) => gate.enter(address));
    expect(outcomes).toEqual([undefined, undefined, 'of-address', undefined, 'of-address']);
  });

  it('takes so many in all', () => {
    const gate = gateOf(2, 2);
    expect(['a', 'b', 'c', undefined].map((address) => gate.enter(address))).toEqual([
      undefined,
      undefined,
      'in-all',
      'in-all',
    ]);
  });

  it('lets a proxy have as many as there are in all', () => {
    const gate = gateOf(3, 1);
    expect([1, 2, 3, 4].map(() => gate.enter(undefined))).toEqual([
      undefined,
      undefined,
      undefined,
      'in-all',
    ]);
  });

  it('has room again when one has left', () => {
    const gate = gateOf(2, 1);
    expect([gate.enter('a'), gate.enter('a')]).toEqual([undefined, 'of-address']);
    gate.leave('a');
    expect([gate.enter('a'), gate.enter('b'), gate.enter('c')]).toEqual([undefined, undefined, 'in-all']);
  });

  it('is never above a maximum, and remembers nobody who has left', () => {
    const address = fc.constantFrom('a', 'b', 'c', undefined);
    const step = fc.record({ address, leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const gate = gateOf(5, 2);
        const open: (string | undefined)[] = [];
        for (const { address: who, leaves } of steps) {
          const place = open.indexOf(who);
          if (leaves) {
            if (place === -1) continue;
            open.splice(place, 1);
            gate.leave(who);
          } else if (gate.enter(who) === undefined) open.push(who);
          expect(open.length).toBeLessThanOrEqual(5);
          for (const one of ['a', 'b', 'c'])
            expect(open.filter((other) => other === one).length).toBeLessThanOrEqual(2);
        }
        for (const who of open) gate.leave(who);
        expect(gate.addressCount).toBe(0);
        expect(gate.enter('a')).toBeUndefined();
      }),
    );
  });
});
