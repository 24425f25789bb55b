import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBody } from './read-body.js';

const BYTES_MAX = 1000;

let onRequest: (request: IncomingMessage) => void;
const server = createServer((request) => onRequest(request));

beforeAll(async () => {
  server.listen(0);
  await once(server, 'listening');
});
afterAll(() => void server.close());

/** At once, or when all of the body is here. */
type When = 'now' | 'later';

type Calls = readonly (readonly [error: unknown, bytes: Buffer | undefined])[];

/** Sends a body and reads it. Every call of `done` until the connection has ended. */
async function read(parts: readonly Buffer[], framing: 'length' | 'chunked', when: When): Promise<Calls> {
  const asked = new Promise<IncomingMessage>((resolve) => (onRequest = resolve));
  const socket = connect((server.address() as AddressInfo).port);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const header = framing === 'length' ? `content-length: ${length}` : 'transfer-encoding: chunked';
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`);
  const sendParts = async (): Promise<void> => {
    for (const part of parts) {
      if (framing === 'length') socket.write(part);
      else if (part.length > 0) socket.write(Buffer.concat([hexLine(part), part, Buffer.from('\r\n')]));
      await new Promise(setImmediate);
    }
    if (framing === 'chunked') socket.write('0\r\n\r\n');
  };
  const calls: [unknown, Buffer | undefined][] = [];
  const request = await asked;
  const done = new Promise<void>((resolve) => {
    const start = (): void =>
      readBody(request, BYTES_MAX, (error, bytes) => {
        calls.push([error, bytes]);
        resolve();
      });
    if (when === 'now') start();
    else void untilComplete(request).then(start);
  });
  await sendParts();
  await done;
  // Whoever calls twice does it in the same turn, or with the end of the connection.
  socket.destroy();
  await once(request.socket, 'close');
  return calls;
}

const hexLine = (part: Buffer): Buffer => Buffer.from(`${part.length.toString(16)}\r\n`);

async function untilComplete(request: IncomingMessage): Promise<void> {
  while (!request.complete) await new Promise(setImmediate);
}

const parts = (lengthMax: number) =>
  fc.array(
    fc.uint8Array({ maxLength: lengthMax }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 4 },
  );
const framing = fc.constantFrom('length' as const, 'chunked' as const);
const when = fc.constantFrom<When>('now', 'later');

describe('a body', () => {
  it('is read as it was sent, however it comes and whenever it is read', async () => {
    await fc.assert(
      fc.asyncProperty(parts(BYTES_MAX / 4), framing, when, async (sent, how, at) => {
        const calls = await read(sent, how, at);
        expect(calls).toEqual([[null, Buffer.concat(sent)]]);
      }),
    );
  });

  it.each(['now', 'later'] as const)('that is too large is refused, read %s', async (at) => {
    const calls = await read([Buffer.alloc(BYTES_MAX), Buffer.alloc(1)], 'chunked', at);
    expect(calls).toEqual([[expect.objectContaining({ code: 'body_too_large' }), undefined]]);
  });

  it.each(['before it is read', 'while it is read'])('that breaks off %s is told of, once', async (at) => {
    const asked = new Promise<IncomingMessage>((resolve) => (onRequest = resolve));
    const socket = connect((server.address() as AddressInfo).port);
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf');
    const request = await asked;
    const calls: unknown[] = [];
    const start = (): void => readBody(request, BYTES_MAX, (...call) => calls.push(call));
    if (at === 'while it is read') start();
    const closed = new Promise((resolve) => request.on('close', resolve));
    socket.destroy();
    await closed;
    if (at === 'before it is read') start();
    expect(calls).toEqual([[expect.objectContaining({ code: 'malformed_request' })]]);
  });
});
