import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '../../src/errors/error-codes.js';
import { type Keys, setStage, type Stage } from './circumstances.js';
import { Connection } from './connection.js';
import { bearer, CHUNKED, get, JSON_TYPE, request } from './request-bytes.js';
import { expectSoundAnswer, only, type Described } from './sound-answer.js';

const BODY = JSON.stringify({ name: 'x'.repeat(1000), categoryId: 7 });
const HALF = BODY.length / 2;

interface Refusal {
  readonly refusal: string;
  readonly line?: string;
  readonly headers: (keys: Keys) => readonly string[];
  readonly status: number;
  readonly code: ErrorCode;
  readonly describes: Described;
}

const REFUSALS: readonly Refusal[] = [
  {
    refusal: 'no key',
    headers: () => [JSON_TYPE],
    status: 401,
    code: 'missing_api_key',
    describes: 'address',
  },
  {
    refusal: 'a revoked key',
    headers: ({ revoked }) => [bearer(revoked), JSON_TYPE],
    status: 401,
    code: 'revoked_api_key',
    describes: 'address',
  },
  {
    refusal: 'a suspended key',
    headers: ({ suspended }) => [bearer(suspended), JSON_TYPE],
    status: 429,
    code: 'api_key_banned',
    describes: 'key',
  },
  {
    refusal: 'a path that cannot be decoded',
    line: 'POST /v1/%',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 400,
    code: 'malformed_request',
    describes: 'address',
  },
  {
    refusal: 'an unknown path',
    line: 'POST /v1/nowhere',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 404,
    code: 'not_found',
    describes: 'key',
  },
  {
    refusal: 'an unknown method',
    line: 'PUT /v1/pets',
    headers: ({ good }) => [bearer(good), JSON_TYPE],
    status: 405,
    code: 'method_not_allowed',
    describes: 'key',
  },
  {
    refusal: 'another media type',
    headers: ({ good }) => [bearer(good), 'Content-Type: text/csv'],
    status: 415,
    code: 'unsupported_media_type',
    describes: 'key',
  },
];

let stage: Stage;
beforeAll(async () => {
  stage = await setStage('ordinary');
});
afterAll(() => stage.close());

const table = REFUSALS.map((refusal) => [`${refusal.status} for ${refusal.refusal}`, refusal] as const);

/** Sends the headers of a refused request and more, and checks that this is enough for its answer. */
async function expectRefused(
  connection: Connection,
  { line = 'POST /v1/pets', headers, status, code, describes }: Refusal,
  further: readonly string[],
  body = '',
  { keys, nowMs }: Stage = stage,
): Promise<string> {
  const sentAtMs = nowMs();
  connection.send(request(line, [...headers(keys), ...further], body));
  const answer = await connection.answer();
  expectSoundAnswer(answer, { status, code, describes, sentAtMs });
  return only(answer, 'connection');
}

describe('a refused request is answered before its body is there', () => {
  it.each(table)('%s; the rest is not taken for another request', (_, refusal) =>
    Connection.with(stage.service.port, async (connection) => {
      const length = `Content-Length: ${BODY.length}`;
      expect(await expectRefused(connection, refusal, [length], BODY.slice(0, HALF))).toBe('keep-alive');
      connection.send(BODY.slice(HALF) + get('/v1/pets', stage.keys.good));
      expect((await connection.answer()).status).toBe(200);
    }),
  );

  it('a large one, too: its body is thrown away as it comes', () =>
    Connection.with(stage.service.port, async (connection) => {
      const body = Buffer.alloc(20_000_000, '{');
      const [noKey] = REFUSALS;
      if (noKey === undefined) throw new Error('no refusal');
      await expectRefused(connection, noKey, [`Content-Length: ${body.length}`]);
      connection.send(body);
      connection.send(get('/v1/pets', stage.keys.good));
      expect((await connection.answer()).status).toBe(200);
    }));
});

describe('a refused request gets no "100 Continue", and its connection ends', () => {
  it.each(table)('%s', (_, refusal) =>
    Connection.with(stage.service.port, async (connection) => {
      const waiting = ['Expect: 100-continue', `Content-Length: ${BODY.length}`];
      // Whether the client sends the body after such an answer is its own choice: nobody could tell what follows.
      expect(await expectRefused(connection, refusal, waiting)).toBe('close');
      expect(await connection.closed()).toBe('');
    }),
  );
});

describe('a refused request has one answer, whatever becomes of its body', () => {
  it.each(table)('%s, then bytes that are no chunk', (_, refusal) =>
    Connection.with(stage.service.port, async (connection) => {
      await expectRefused(connection, refusal, [CHUNKED], '1\r\n{\r\n');
      connection.send('size\r\n');
      expect(await connection.closed()).toBe('');
    }),
  );

  it('401, then nothing more: the connection ends when the request should have been there', async () => {
    const impatient = await setStage('impatient');
    await Connection.with(impatient.service.port, async (connection) => {
      const [noKey] = REFUSALS;
      if (noKey === undefined) throw new Error('no refusal');
      const length = `Content-Length: ${BODY.length}`;
      await expectRefused(connection, noKey, [length], BODY.slice(0, HALF), impatient);
      expect(await connection.closed()).toBe('');
    });
    await impatient.close();
  });
});
