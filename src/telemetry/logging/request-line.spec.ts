import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../common/errors/database-errors.js';
import { type RequestFacts, requestLine } from './request-log.js';

const FACTS: RequestFacts = { requestId: 'one', status: 200, clientAddress: '192.0.2.1' };

const parsed = (facts: Partial<RequestFacts>): Record<string, unknown> => {
  const line = requestLine({ ...FACTS, ...facts });
  expect(line.indexOf('\n')).toBe(line.length - 1);
  return JSON.parse(line) as Record<string, unknown>;
};

describe('the line of a request', () => {
  it('says what is known, and leaves out what is not', () => {
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(parsed({})).toEqual({ level: 30, time, ...FACTS, msg: 'request' });
    const all = {
      method: 'GET',
      operation: 'getPet',
      path: '/v1/pets/1',
      plan: 'pro',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    };
    expect(parsed({ ...all, ms: 1.23456, keyId: 9_223_372_036_854_775_807n, isGone: true })).toEqual({
      level: 30,
      time,
      ...FACTS,
      ...all,
      ms: 1.23,
      keyId: '9223372036854775807',
      clientGone: true,
      msg: 'request',
    });
  });

  it.each(['"', '\\', '\n', '\u2028', '\ud800', 'Müller', '\u0000', '🐕', `","level":10,"x":"`])(
    'is one line of JSON whatever is in the path: %j',
    (odd) => {
      // A lone surrogate cannot be written in UTF-8 and becomes an escape: the text is the same again.
      expect(parsed({ path: `/v1/${odd}` })['path']).toBe(`/v1/${odd}`);
    },
  );

  it('tells a fault of the code with its stack and its causes', () => {
    const failure = new TypeError('no such thing', { cause: new Error('the reason') });
    expect(parsed({ status: 500, failure })).toMatchObject({
      level: 50,
      err: {
        type: 'TypeError',
        message: 'no such thing',
        stack: expect.stringMatching(
          /^TypeError: no such thing\n\s+at [^]*caused by: Error: the reason\n\s+at /,
        ),
      },
    });
    expect(parsed({ status: 500, failure: 'thrown text' })['err']).toEqual({ message: 'thrown text' });
  });

  it('ends with causes that go round in a ring', () => {
    const failure: Error & { cause?: unknown } = new Error('of itself');
    failure.cause = failure;
    expect(parsed({ status: 500, failure })['err']).toMatchObject({ message: 'of itself' });
  });

  it('says no more than necessary when nobody can answer, for that comes in thousands', () => {
    const failure = new UnavailableError('timed-out', 'no answer', { cause: new Error('parted') });
    expect(parsed({ status: 503, failure })['err']).toEqual({
      type: 'UnavailableError',
      message: 'no answer',
      cause: 'parted',
    });
  });
});
