import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { checksumOf } from './api-key.js';
import { readCredential } from './bearer.js';
import { CredentialReader, REMEMBERED_MAX, SPAN_MS } from './credential-reader.js';

function headerOf(number: number): string {
  const body = `psk_${String(number).padStart(32, '0')}`;
  return `Bearer ${body}${checksumOf(body)}`;
}

/** A reader, and how often it had to read. */
function counted() {
  const read = jest.fn(readCredential);
  return { read, reader: new CredentialReader(read) };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a reader of credentials', () => {
  it('tells of every header what reading it anew tells', () => {
    const key = fc.nat(20).map(headerOf);
    const header = fc.oneof(
      key,
      key.map((text) => text.toLowerCase()),
      key.map((text) => text.replace(' ', '   ')),
      key.map((text) => text.replace('Bearer', 'bEARER')),
      fc
        .tuple(key, fc.nat(48), fc.string({ maxLength: 2 }))
        .map(([text, at, other]) => text.slice(0, at) + other),
      fc.string(),
      fc.constant(undefined),
    );
    const step = fc.record({ authorization: header, laterMs: fc.constantFrom(0, 1, SPAN_MS, 3 * SPAN_MS) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const reader = new CredentialReader();
        for (const { authorization, laterMs } of steps) {
          jest.advanceTimersByTime(laterMs);
          expect(reader.read(authorization)).toBe(readCredential(authorization));
        }
      }),
    );
  });

  it('remembers a header for one span after it came, and for no more than two, whatever comes between', () => {
    const step = fc.record({ number: fc.nat(3), laterMs: fc.nat(2 * SPAN_MS) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { read, reader } = counted();
        const cameAt = new Map<number, number>();
        let nowMs = 0;
        for (const { number, laterMs } of steps) {
          jest.advanceTimersByTime(laterMs);
          nowMs += laterMs;
          read.mockClear();
          reader.read(headerOf(number));
          const awayMs = nowMs - (cameAt.get(number) ?? Number.NEGATIVE_INFINITY);
          if (awayMs <= SPAN_MS) expect(read).not.toHaveBeenCalled();
          if (awayMs >= 2 * SPAN_MS) expect(read).toHaveBeenCalledTimes(1);
          cameAt.set(number, nowMs);
        }
      }),
    );
  });

  it('remembers no more than two spans of headers, the latest ones', () => {
    const { read, reader } = counted();
    const numbers = Array.from({ length: 3 * REMEMBERED_MAX }, (_, number) => number);
    for (const number of numbers) reader.read(headerOf(number));
    read.mockClear();
    for (const number of numbers.slice(-REMEMBERED_MAX)) reader.read(headerOf(number));
    expect(read).not.toHaveBeenCalled();
    for (const number of numbers.slice(0, REMEMBERED_MAX)) reader.read(headerOf(number));
    expect(read).toHaveBeenCalledTimes(REMEMBERED_MAX);
  });

  it.each([
    ['is no key', 'Bearer psk_1'],
    ['has another scheme', `Basic ${'x'.repeat(40)}`],
    ['is longer than a key needs', headerOf(1).replace(' ', '  ')],
  ])('remembers nothing that %s', (_, authorization) => {
    const { read, reader } = counted();
    for (let again = 0; again < 3; again += 1) reader.read(authorization);
    expect(read).toHaveBeenCalledTimes(3);
  });
});
