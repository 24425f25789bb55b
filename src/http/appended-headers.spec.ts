import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { sendRaw } from '../../test/support/raw-http.js';
import { appendLines, ResponseOfServer } from './appended-headers.js';

const APPENDED = ['x-appended', 'as it is'] as const;

type Answer = (response: ServerResponse) => void;

let answer: Answer;

/** Node's own responses, and those with appended headers, of the same handler. */
const servers = [ServerResponse, ResponseOfServer].map((response) =>
  createServer({ ServerResponse: response }, (_request, made) => {
    made.sendDate = false;
    if (response !== ServerResponse) appendLines({ raw: made } as FastifyReply, `${APPENDED.join(': ')}\r\n`);
    answer(made);
  }),
) as [Server, Server];

beforeAll(() => Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, done)))));
afterAll(() => servers.forEach((server) => server.close()));
beforeEach(() => {
  answer = (response) => response.end();
});

const ask = (server: Server, request: string, isHead = false) =>
  sendRaw((server.address() as AddressInfo).port, request, { isHead });

/** Names that Node frames by among them. */
const headers = fc.dictionary(
  fc.oneof(fc.stringMatching(/^[a-z][a-z-]{0,12}$/), fc.constantFrom('connection', 'date', 'keep-alive')),
  fc.oneof(
    fc.stringMatching(/^[!-~]{1,20}$/),
    fc.array(fc.stringMatching(/^[!-~]{1,9}$/), { minLength: 1, maxLength: 3 }),
    fc.constant('close'),
  ),
);

it('Node.js keeps the head of a response where it is expected', () => {
  expect(ResponseOfServer).not.toBe(ServerResponse);
});

it('a response of another class gets its headers by the public way', () => {
  const set: unknown[] = [];
  const reply = { header: (name: string, value: string) => set.push([name, value]) };
  const raw = new ServerResponse(new IncomingMessage(new Socket()));
  appendLines({ ...reply, raw } as unknown as FastifyReply, 'one: 1\r\ntwo: a: 2\r\n');
  expect(set).toEqual([
    ['one', '1'],
    ['two', 'a: 2'],
  ]);
});

describe('a response with appended headers', () => {
  it("is Node's own response, and they besides", async () => {
    await fc.assert(
      fc.asyncProperty(
        headers,
        fc.constantFrom(200, 201, 204, 304, 404, 500),
        fc.constantFrom('GET', 'HEAD'),
        fc.constantFrom('1.0', '1.1'),
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.boolean(),
        async (set, status, method, version, body, isStream) => {
          answer = (response) => {
            if (isStream) {
              for (const [name, value] of Object.entries(set)) response.setHeader(name, value);
              response.statusCode = status;
              response.write(body);
              response.end(body);
            } else {
              response.writeHead(status, { ...set, 'content-length': Buffer.byteLength(body) });
              response.end(body);
            }
          };
          const request = `${method} / HTTP/${version}\r\nhost: a\r\nconnection: close\r\n\r\n`;
          const [[own], [stamped]] = await Promise.all([
            ask(servers[0], request, method === 'HEAD'),
            ask(servers[1], request, method === 'HEAD'),
          ]);
          const [name, value] = APPENDED;
          const expected = own && { ...own, headers: new Map([...own.headers, [name, [value]]]) };
          expect(stamped).toEqual(expected);
        },
      ),
    );
  });

  it.each(['one\r\ntwo', 'one\ntwo', 'smile \u{1f600}'])(
    'has its headers looked at by Node as ever: %j is refused',
    async (value) => {
      const thrown: unknown[] = [];
      answer = (response) => {
        try {
          response.writeHead(200, { link: value });
        } catch (error) {
          thrown.push(error);
          response.writeHead(500).end();
        }
      };
      const [stamped] = await ask(servers[1], 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      expect(thrown).toEqual([expect.objectContaining({ code: 'ERR_INVALID_CHAR' })]);
      expect(stamped?.headers.get(APPENDED[0])).toEqual([APPENDED[1]]);
    },
  );
});
