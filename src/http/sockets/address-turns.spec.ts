import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AddressTurns } from './address-turns.js';

const TURN_MS = 50;
const PENALTY_MS = 1000;

let turns: AddressTurns;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  turns = new AddressTurns();
});
afterEach(() => {
  jest.useRealTimers();
});

function open(address: string): Socket {
  const socket = new Socket();
  turns.add(address, socket);
  return socket;
}

const paused = (sockets: readonly Socket[]): boolean[] => sockets.map((socket) => socket.isPaused());
const close = (socket: Socket): boolean => socket.emit('close');

describe('an address that sends too many requests at once', () => {
  it('has its other connections read one after another, and those of other addresses at once', () => {
    const [excessive, ...others] = [open('a'), open('a'), open('a'), open('a')];
    const elsewhere = open('b');
    turns.penalize(excessive, performance.now());
    expect(paused([...others, elsewhere])).toEqual([true, true, true, false]);
    jest.advanceTimersByTime(TURN_MS);
    expect(paused(others)).toEqual([false, true, true]);
    jest.advanceTimersByTime(2 * TURN_MS);
    expect(paused(others)).toEqual([false, false, false]);
  });

  it('waits again when the connection whose turn it is does the same', () => {
    const [first, second, third] = [open('a'), open('a'), open('a')];
    turns.penalize(first, performance.now());
    jest.advanceTimersByTime(TURN_MS);
    expect(paused([second, third])).toEqual([false, true]);
    const fourth = open('a');
    turns.penalize(second, performance.now());
    expect(paused([third, fourth])).toEqual([true, true]);
    jest.advanceTimersByTime(2 * TURN_MS);
    expect(paused([third, fourth])).toEqual([false, false]);
  });

  it('gets no new connection for a second, also when all it had are closed', () => {
    const socket = open('a');
    turns.penalize(socket, performance.now());
    close(socket);
    expect([turns.isPenalized('a', performance.now()), turns.isPenalized('b', performance.now())]).toEqual([
      true,
      false,
    ]);
    jest.advanceTimersByTime(PENALTY_MS);
    expect(turns.isPenalized('a', performance.now())).toBe(false);
  });

  it('is forgotten when nothing of it is open and its penalty is over', () => {
    const sockets = [open('a'), open('a'), open('b')];
    turns.penalize(sockets[0] ?? open('a'), performance.now());
    sockets.forEach(close);
    expect(turns.addressCount).toBe(1);
    jest.advanceTimersByTime(PENALTY_MS);
    expect(turns.addressCount).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('leaves a connection alone that was never added, such as one of a trusted proxy', () => {
  const [other, proxy] = [open('a'), new Socket()];
  turns.penalize(proxy, performance.now());
  expect(paused([other])).toEqual([false]);
});
