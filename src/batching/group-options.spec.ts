import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemTimers } from './group-options.js';
import { within } from '../prisma/within.js';

let near: Socket;
let far: Socket;
let close: () => void;

beforeEach(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [near] = (await once(server, 'connection')) as [Socket];
  await once(far, 'connect');
  close = () => void server.close();
});
afterEach(() => {
  near.destroy();
  far.destroy();
  close();
});

/** The process does nothing else, as on a machine that gives it no time. */
function stall(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('after a stall of the process', () => {
  it('what has arrived is read before a task that is due at intervals runs', async () => {
    const order: string[] = [];
    near.on('data', () => order.push('data'));
    const ran = new Promise<void>((resolve) => {
      const stop = systemTimers.every(20, () => {
        order.push('task');
        stop();
        resolve();
      });
    });
    far.write('x');
    stall(100);
    await ran;
    expect(order).toEqual(['data', 'task']);
  });

  it('work whose result has arrived is not given up', async () => {
    const work = once(near, 'data').then(() => 'done');
    const result = within(20, work);
    far.write('x');
    stall(100);
    expect(await result).toBe('done');
  });
});
