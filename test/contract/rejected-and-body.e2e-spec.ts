import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '../../src/common/errors/error-codes.js';
import { type Keys, setStage, type Stage } from './circumstances.js';
import { Connection } from './connection.js';
import { bearer, CHUNKED, get, JSON_TYPE, request } from './request-bytes.js';
import { expectSoundAnswer, only, type Described } from './sound-answer.js';

const BODY = JSON.stringify({ name: 'x'.repeat(1000), categoryId: 7 });
const HALF = BODY.length / 2;

interface Rejected {
  readonly name: string;
  readonly line?: string;
  readonly headers: (keys: Keys) => readonly string[];
  readonly status: number;
  readonly code: ErrorCode;
  readonly describes: Described;
}

/** Rejected by a guard, and therefore after their body has been read. */
const BY_GUARDS: readonly Rejected[] = [
  {
    name: 'no key',
    headers: () => [JSON_TYPE],
    status: 401,
    code: 'missing_api_key',
    describes: 'address',
  },
  {
    name: 'a revoked key',
    headers: ({ revoked }) => [bearer(revoked), JSON_TYPE],
    status: 401,
    code: 'revoked_api_key',
    describes: 'address',
  },
  {
    name: 'a suspended key',
    headers: ({ suspended }) => [bearer(suspended), JSON_TYPE],
    status: 429,
    code: 'api_key_banned',
    describes: 'key',
  },
  {
    name: 'an unknown path',
    line: 'POST /v1/nowhere',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 404,
    code: 'not_found',
    describes: 'key',
  },
  {
    name: 'an unknown method',
    line: 'PUT /v1/pets',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 405,
    code: 'method_not_allowed',
    describes: 'key',
  },
];

/** Rejected by the request line or the headers, before the body is read. */
const BY_HEADERS: readonly Rejected[] = [
  {
    name: 'a path that cannot be decoded',
    line: 'POST /v1/%',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 400,
    code: 'malformed_request',
    describes: 'address',
  },
  {
    name: 'another media type',
    headers: ({ good }) => [bearer(good), 'Content-Type: text/csv'],
    status: 415,
    code: 'unsupported_media_type',
    describes: 'key',
  },
  {
    name: 'another media type, without a key',
    headers: () => ['Content-Type: text/csv'],
    status: 401,
    code: 'missing_api_key',
    describes: 'address',
  },
];

let stage: Stage;
beforeAll(async () => {
  stage = await setStage('ordinary');
});
afterAll(() => stage.close());

const tableOf = (cases: readonly Rejected[]) =>
  cases.map((rejected) => [`${rejected.status} for ${rejected.name}`, rejected] as const);

/** Sends a request and returns the `Connection` header of its response. */
async function expectRejected(
  connection: Connection,
  { line = 'POST /v1/pets', headers, status, code, describes }: Rejected,
  further: readonly string[],
  body = '',
): Promise<string> {
  const sentAtMs = stage.nowMs();
  connection.send(request(line, [...headers(stage.keys), ...further], body));
  const answer = await connection.answer();
  expectSoundAnswer(answer, { status, code, describes, sentAtMs });
  return only(answer, 'connection');
}

describe('a rejected request whose body has arrived', () => {
  it.each(tableOf(BY_GUARDS))('keeps its connection: %s', (_, rejected) =>
    Connection.with(stage.service.port, async (connection) => {
      const length = `Content-Length: ${BODY.length}`;
      expect(await expectRejected(connection, rejected, [length], BODY)).toBe('keep-alive');
      connection.send(get('/v1/pets', stage.keys.good));
      expect((await connection.answer()).status).toBe(200);
    }),
  );
});

describe('a request that is rejected by its headers', () => {
  it.each(tableOf(BY_HEADERS))('gets its response at once, and its connection closes: %s', (_, rejected) =>
    Connection.with(stage.service.port, async (connection) => {
      const length = `Content-Length: ${BODY.length}`;
      expect(await expectRejected(connection, rejected, [length], BODY.slice(0, HALF))).toBe('close');
      expect(await connection.closed()).toBe('');
    }),
  );

  it('has a too large body: it is not read, also without a key', () =>
    Connection.with(stage.service.port, async (connection) => {
      const [noKey] = BY_GUARDS;
      if (noKey === undefined) throw new Error('no case');
      expect(await expectRejected(connection, noKey, ['Content-Length: 20000000'], '{')).toBe('close');
      expect(await connection.closed()).toBe('');
    }));
});

describe('a rejected request whose body breaks off', () => {
  it.each(tableOf(BY_GUARDS))('has one response: %s', (_, rejected) =>
    Connection.with(stage.service.port, async (connection) => {
      const sentAtMs = stage.nowMs();
      const { line = 'POST /v1/pets', headers, describes } = rejected;
      connection.send(request(line, [...headers(stage.keys), CHUNKED], '1\r\n{\r\nsize\r\n'));
      const answer = await connection.answer();
      // Bytes that are no chunk make the request malformed, which comes before the route and after the key.
      const { status, code } =
        rejected.status === 404 || rejected.status === 405
          ? ({ status: 400, code: 'malformed_request' } as const)
          : rejected;
      expectSoundAnswer(answer, { status, code, describes, sentAtMs });
      expect(await connection.closed()).toBe('');
    }),
  );
});

describe('a rejected request that waits for "100 Continue"', () => {
  it.each(tableOf(BY_HEADERS.filter(({ status }) => status !== 400)))(
    'gets no body read, and its connection closes: %s',
    (_, rejected) =>
      Connection.with(stage.service.port, async (connection) => {
        connection.send(
          request('POST /v1/pets', [
            ...rejected.headers(stage.keys),
            'Expect: 100-continue',
            `Content-Length: ${BODY.length}`,
          ]),
        );
        expect((await connection.answer()).status).toBe(100);
        const answer = await connection.answer();
        expect({ status: answer.status, connection: only(answer, 'connection') }).toEqual({
          status: rejected.status,
          connection: 'close',
        });
      }),
  );
});
