import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/common/errors/error-codes.js';
import { ask } from './ask.js';
import { type Circumstance, setStage, type Stage } from './circumstances.js';
import { Connection } from './connection.js';
import { type Kind, nameOf } from './kind.js';
import { KINDS } from './kinds/kinds.js';
import { get } from './request-bytes.js';
import { expectSoundAnswer, only } from './sound-answer.js';
import { processTimeMs } from '../support/process-time.js';

/** Where answers take a second or two everything is asked at once. */
const CIRCUMSTANCES: readonly (readonly [Circumstance, 'one by one' | 'at once'])[] = [
  ['ordinary', 'one by one'],
  ['used up', 'one by one'],
  ['impatient', 'at once'],
  ['no database', 'at once'],
  ['silent database', 'at once'],
];

/** With the database away, an answer comes within this time all the same. */
const UNAVAILABLE_WITHIN_MS = 2000;

describe.each(CIRCUMSTANCES)(
  'the answer is whole and right on a service that is %s',
  (circumstance, asked) => {
    const kinds = KINDS.filter(({ on = 'ordinary' }) => on === circumstance);
    const examined = new Map<Kind, Promise<void>>();
    let stage: Stage;

    beforeAll(async () => {
      stage = await setStage(circumstance);
      if (asked === 'one by one') return;
      for (const kind of kinds) examined.set(kind, examine(kind, stage));
      await Promise.allSettled(examined.values());
    });
    afterAll(() => stage.close());

    it.each(kinds.map((kind) => [nameOf(kind), kind] as const))(
      '%s',
      (_name, kind) => examined.get(kind) ?? examine(kind, stage),
    );
  },
);

describe('the table', () => {
  it('has kinds of request enough, each under a name of its own', () => {
    expect(KINDS.length).toBeGreaterThan(50);
    expect(new Set(KINDS.map(({ kind }) => kind)).size).toBe(KINDS.length);
  });

  it('has every code, but for those that take more than one request or another time, and the one of our own faults', () => {
    const codes = new Set(KINDS.map(({ code }) => code));
    expect(Object.keys(ERROR_CODES).filter((code) => !codes.has(code as ErrorCode))).toEqual([
      'request_in_progress',
      'operation_removed',
      'idempotency_key_reused',
      'internal_error',
    ]);
  });
});

function examine(kind: Kind, stage: Stage): Promise<void> {
  return Connection.with(stage.service.port, async (connection) => {
    const startedAtMs = processTimeMs();
    const answer = await ask(connection, kind, stage);
    if (kind.status === 503) expect(processTimeMs() - startedAtMs).toBeLessThan(UNAVAILABLE_WITHIN_MS);

    if (only(answer, 'connection') === 'close') expect(await connection.closed()).toBe('');
    else await expectInStep(connection, stage);
  });
}

/** What was not read of a request is not taken for the next one: a connection that stays open goes on as a new one. */
async function expectInStep(connection: Connection, { circumstance, keys, nowMs }: Stage): Promise<void> {
  const sentAtMs = nowMs();
  connection.send(get('/v1/pets', keys.good));
  const expected =
    circumstance === 'no database' || circumstance === 'silent database'
      ? ({ status: 503, code: 'service_unavailable', describes: 'address' } as const)
      : ({ status: 200, describes: 'key' } as const);
  expectSoundAnswer(await connection.answer(), { ...expected, sentAtMs });
}
