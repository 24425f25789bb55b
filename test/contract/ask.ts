import { expect } from '@jest/globals';
import type { Stage } from './circumstances.js';
import type { Connection, WireAnswer } from './connection.js';
import type { Kind } from './kind.js';
import { get } from './request-bytes.js';
import { expectSoundAnswer, only } from './sound-answer.js';

/** Asks one kind of request, checks every answer that it gets, and returns the last one. */
export async function ask(connection: Connection, kind: Kind, { keys, nowMs }: Stage): Promise<WireAnswer> {
  const { after = 0, bodyOnContinue, isHead, status, code, limit, allow } = kind;
  const sentAtMs = nowMs();
  const before = Buffer.from(get('/v1/pets', keys.good).repeat(after));
  connection.send(Buffer.concat([before, Buffer.from(kind.bytes(keys))]));
  for (let good = 0; good < after; good += 1) {
    expectSoundAnswer(await connection.answer(), { status: 200, describes: 'key', sentAtMs });
  }
  if (bodyOnContinue !== undefined) {
    expect((await connection.answer()).status).toBe(100);
    connection.send(bodyOnContinue);
  }
  const answer = await connection.answer({ isHead });
  expectSoundAnswer(answer, { status, code, describes: limit, isHead, sentAtMs });
  if (allow !== undefined) expect(only(answer, 'allow')).toBe(allow);
  return answer;
}
