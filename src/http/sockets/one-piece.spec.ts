import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sendRaw } from '../../../test/support/raw-http.js';
import { writeInOnePiece } from './one-piece.js';

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let written: string[];

const serve = (): Server =>
  createServer((request, response) => {
    response.sendDate = false;
    answer(request, response);
  });
const [own, inOnePiece] = [serve(), serve()];
writeInOnePiece(inOnePiece);
inOnePiece.on('connection', (socket) => {
  socket._write = writeAndNote;
});

function writeAndNote(
  this: Socket,
  chunk: unknown,
  encoding: BufferEncoding,
  done: (error?: Error | null) => void,
): void {
  written.push(String(chunk));
  Socket.prototype._write.call(this, chunk, encoding, done);
}

beforeAll(() =>
  Promise.all([own, inOnePiece].map((server) => new Promise<void>((done) => server.listen(0, done)))),
);
afterAll(() => [own, inOnePiece].forEach((server) => server.close()));
beforeEach(() => {
  written = [];
});

const ask = (server: Server, requests: number) =>
  sendRaw((server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests), {
    answers: requests,
  });

type Part = readonly [chunk: string | Buffer, encoding: BufferEncoding];

const part: fc.Arbitrary<Part> = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('utf8', 'latin1', 'hex'), fc.boolean())
  .map(([text, encoding, isBuffer]) => {
    if (encoding === 'hex') return [Buffer.from(text).toString('hex'), encoding];
    return [isBuffer ? Buffer.from(text) : text, encoding];
  });

describe('answers in one piece', () => {
  it('are each one text to the socket, its head and its body', async () => {
    const body = '{"name":"Zoë \u{1f60a}"}';
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
    };
    const [received] = await ask(inOnePiece, 1);
    expect(received?.body).toBe(body);
    expect(written).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n/)]);
    expect(written[0]?.endsWith(body)).toBe(true);
  });

  it('are as Node writes them, whatever they are made of and however many are asked for at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(part, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (bodies, isLengthTold) => {
          const answerAll = () => {
            let asked = 0;
            return (_request: IncomingMessage, response: ServerResponse): void => {
              const parts = bodies[asked++] ?? [];
              const length = parts.reduce(
                (sum, [chunk, encoding]) => sum + Buffer.from(chunk as string, encoding).length,
                0,
              );
              if (isLengthTold) response.setHeader('content-length', length);
              for (const [chunk, encoding] of parts.slice(0, -1)) response.write(chunk, encoding);
              const [last] = parts.slice(-1);
              if (last === undefined) response.end();
              else response.end(last[0], last[1]);
            };
          };
          answer = answerAll();
          const expected = await ask(own, bodies.length);
          answer = answerAll();
          expect(await ask(inOnePiece, bodies.length)).toEqual(expected);
          expect(expected).toHaveLength(bodies.length);
        },
      ),
    );
  });
});
