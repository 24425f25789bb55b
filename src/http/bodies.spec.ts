import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyRequest } from 'fastify';
import fc from 'fast-check';
import { ArrivingBodies, abortBody } from './bodies.js';
import { ApiError } from '../errors/api-error.js';

const BYTES_MAX = 1000;

/** The outcome of a request's body. */
type Outcome = Buffer | { readonly code: string };

let outcomes: Outcome[] = [];
let onRequest: (request: FastifyRequest) => Promise<void> = () => Promise.resolve();
const settled: (() => void)[] = [];

function settle(outcome: Outcome): void {
  outcomes.push(outcome);
  for (const resolve of settled.splice(0)) resolve();
}

const bodies = new ArrivingBodies(64 * 1024 * 1024);
const app = fastify({ bodyLimit: BYTES_MAX });
app.addHook('onRequest', (request) => onRequest(request));
app.addHook('preParsing', async (request, reply) => bodies.read(request.raw, reply.raw, request.ip));
app.removeAllContentTypeParsers();
app.addContentTypeParser<Buffer>('text/plain', { parseAs: 'buffer' }, (_request, bytes, done) => {
  done(null, bytes);
});
app.setErrorHandler((error: { code: string }, _request, reply) => {
  settle({ code: error.code });
  return reply.code(400).send();
});
app.post('/', (request, reply) => {
  settle(request.body as Buffer);
  return reply.send();
});

beforeAll(async () => {
  await app.listen({ port: 0 });
});
afterAll(() => app.close());
beforeEach(() => {
  outcomes = [];
  onRequest = () => Promise.resolve();
});

/** At once, or when all of the body is here. */
type When = 'now' | 'later';

const open = (framing: string) => {
  const socket = connect((app.server.address() as AddressInfo).port);
  socket.on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n${framing}\r\n\r\n`);
  return socket;
};

/** Sends a body. Every outcome until the connection has ended. */
async function read(parts: readonly Buffer[], framing: 'length' | 'chunked', when: When): Promise<Outcome[]> {
  outcomes = [];
  if (when === 'later') onRequest = ({ raw }) => untilTrue(() => raw.complete);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const socket = open(framing === 'length' ? `content-length: ${length}` : 'transfer-encoding: chunked');
  const done = new Promise<void>((resolve) => settled.push(resolve));
  for (const part of parts) {
    if (framing === 'length') socket.write(part);
    else if (part.length > 0) socket.write(Buffer.concat([hexLine(part), part, Buffer.from('\r\n')]));
    await new Promise(setImmediate);
  }
  if (framing === 'chunked') socket.write('0\r\n\r\n');
  await done;
  // A second settlement comes in the same turn, or with the end of the connection.
  socket.destroy();
  await once(socket, 'close');
  return outcomes;
}

const hexLine = (part: Buffer): Buffer => Buffer.from(`${part.length.toString(16)}\r\n`);

async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

const parts = (lengthMax: number) =>
  fc.array(
    fc.uint8Array({ maxLength: lengthMax }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 4 },
  );
const framing = fc.constantFrom('length' as const, 'chunked' as const);
const when = fc.constantFrom<When>('now', 'later');

describe('a body', () => {
  it('is read as sent, however it arrives and whenever it is read', async () => {
    await fc.assert(
      fc.asyncProperty(parts(BYTES_MAX / 4), framing, when, async (sent, how, at) => {
        expect(await read(sent, how, at)).toEqual([Buffer.concat(sent)]);
      }),
    );
  });

  it.each(['now', 'later'] as const)('that is too large is rejected, read %s', async (at) => {
    const sent = [Buffer.alloc(BYTES_MAX), Buffer.alloc(1)];
    expect(await read(sent, 'chunked', at)).toEqual([{ code: 'FST_ERR_CTP_BODY_TOO_LARGE' }]);
  });

  describe.each(['before it is read', 'while it is read'])('that breaks off %s', (at) => {
    let request: FastifyRequest['raw'];
    let proceed: () => void;

    /** A request of whose body half has come; it is read from `proceed` on. */
    const begin = async () => {
      const arrived = new Promise<void>((resolve) => {
        onRequest = async ({ raw }) => {
          request = raw;
          resolve();
          await new Promise<void>((go) => (proceed = go));
        };
      });
      const socket = open('content-length: 10');
      socket.write('half');
      await arrived;
      if (at === 'while it is read') {
        proceed();
        await untilTrue(() => request.listenerCount('data') > 0);
      }
      return socket;
    };

    it('with its client is reported once', async () => {
      const socket = await begin();
      const done = new Promise<void>((resolve) => settled.push(resolve));
      socket.destroy();
      await untilTrue(() => request.destroyed);
      if (at === 'before it is read') proceed();
      await done;
      expect(outcomes).toEqual([{ code: 'malformed_request' }]);
    });
  });

  it('that is unreadable fails its request with that error, and keeps the connection', async () => {
    let request: FastifyRequest['raw'] | undefined;
    onRequest = ({ raw }) => {
      request = raw;
      return Promise.resolve();
    };
    const socket = open('content-length: 10');
    const done = new Promise<void>((resolve) => settled.push(resolve));
    await untilTrue(() => (request?.listenerCount('data') ?? 0) > 0);
    if (request !== undefined) abortBody(request, new ApiError('request_timeout'));
    await done;
    expect(outcomes).toEqual([{ code: 'request_timeout' }]);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  it('whose client left after sending it all does not wait forever', async () => {
    const left = new Promise<void>((resolve) => {
      onRequest = async ({ raw }) => {
        await untilTrue(() => raw.complete);
        resolve();
        await untilTrue(() => raw.destroyed);
      };
    });
    const socket = open('content-length: 4');
    const done = new Promise<void>((resolve) => settled.push(resolve));
    socket.write('full');
    await left;
    socket.destroy();
    await done;
    expect(outcomes).toEqual([{ code: 'malformed_request' }]);
  });
});
