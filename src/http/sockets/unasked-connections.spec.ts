import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { UnaskedConnections } from './connection-gate.js';

describe('UnaskedConnections', () => {
  it('close the one that has been silent longest, when it had a second, and give its place back at once', () => {
    const connections = new UnaskedConnections();
    const left: string[] = [];
    const [first, second] = [new Socket(), new Socket()];
    connections.add(first, 0, () => left.push('first'));
    connections.add(second, 500, () => left.push('second'));
    expect(connections.makeRoom(999)).toBe(false);
    expect(connections.makeRoom(1000)).toBe(true);
    expect([first.destroyed, second.destroyed, ...left]).toEqual([true, false, 'first']);
    expect(connections.makeRoom(1499)).toBe(false);
    expect(connections.makeRoom(1500)).toBe(true);
    expect(connections.makeRoom(9999)).toBe(false);
  });

  it('leave alone what has asked something', () => {
    const connections = new UnaskedConnections();
    const socket = new Socket();
    connections.add(socket, 0, () => undefined);
    connections.delete(socket);
    expect(connections.makeRoom(9999)).toBe(false);
    expect(socket.destroyed).toBe(false);
  });
});
