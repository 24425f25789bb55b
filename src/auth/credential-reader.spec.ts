import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { checksumOf } from './api-key.js';
import { readCredential } from './bearer.js';
import {
  CredentialReader,
  REMEMBERED_LENGTH_MAX,
  REMEMBERED_MAX,
  REMEMBERED_MS,
} from './credential-reader.js';

function headerOf(number: number): string {
  const body = `psk_${String(number).padStart(32, '0')}`;
  return `Bearer ${body}${checksumOf(body)}`;
}

/** A reader, its clock, and how often it had to read. */
function readerAt(startMs = 0) {
  const clock = { nowMs: startMs };
  const read = jest.fn(readCredential);
  const reader = new CredentialReader({ read, monotonicMs: () => clock.nowMs });
  return { clock, read, reader };
}

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
    const step = fc.record({ header, laterMs: fc.constantFrom(0, 1, REMEMBERED_MS, 3 * REMEMBERED_MS) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, reader } = readerAt();
        for (const { header: authorization, laterMs } of steps) {
          clock.nowMs += laterMs;
          expect(reader.read(authorization)).toBe(readCredential(authorization));
        }
      }),
    );
  });

  it('reads a header that keeps coming once', () => {
    const { clock, read, reader } = readerAt();
    for (let minute = 0; minute < 10; minute += 1) {
      for (let again = 0; again < 3; again += 1) reader.read(headerOf(1));
      clock.nowMs += REMEMBERED_MS;
    }
    expect(read).toHaveBeenCalledTimes(1);
  });

  it.each([2 * REMEMBERED_MS, 100 * REMEMBERED_MS])(
    'has forgotten a header that did not come for %d ms, whether others did',
    (awayMs) => {
      const { clock, read, reader } = readerAt();
      reader.read(headerOf(1));
      const backAtMs = clock.nowMs + awayMs;
      for (; clock.nowMs < backAtMs; clock.nowMs += REMEMBERED_MS / 2) reader.read(headerOf(2));
      expect(read).toHaveBeenCalledTimes(2);
      reader.read(headerOf(1));
      expect(read).toHaveBeenCalledTimes(3);

      clock.nowMs += awayMs;
      reader.read(headerOf(1));
      expect(read).toHaveBeenCalledTimes(4);
    },
  );

  it('remembers no more than two spans of headers, the latest ones', () => {
    const { read, reader } = readerAt();
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
    const { read, reader } = readerAt();
    for (let again = 0; again < 3; again += 1) reader.read(authorization);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('takes the usual header for no longer than may be remembered', () => {
    expect(headerOf(1)).toHaveLength(REMEMBERED_LENGTH_MAX);
  });
});
