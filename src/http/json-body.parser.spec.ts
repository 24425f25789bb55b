import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../errors/api-error.js';
import { int64OfJson } from '../database/int64.js';
import { parseJsonBody } from './json-body.parser.js';
import { cases } from '../../test/support/cases.js';

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));
const categoryOf = (number: string): bigint | undefined =>
  int64OfJson((parse(`{"name":"Rex","categoryId":${number}}`) as { categoryId: unknown }).categoryId);
const rejection = (body: string | Buffer): string => {
  try {
    parseJsonBody(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'accepted';
};

const arrays = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const BODY_LENGTH = 65_000;

/** What a body is filled with. */
const fragment = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    '1',
    '{}',
    '[]',
    '""',
    'null',
    '9007199254740993',
    '1e5',
    '{"a":1}',
    '{":":1}',
    '"\\u0061"',
  ),
  fc.nat(400).map((depth) => objects(depth + 1)),
  fc.tuple(fc.string({ unit: 'binary' }), fc.nat(2000)).map(([text, n]) => JSON.stringify(text.repeat(n))),
  fc.tuple(fc.constantFrom('0.', '1'), fc.nat(60_000)).map(([head, n]) => `${head}${'0'.repeat(n)}1`),
);

function filledWith(values: readonly string[], head: '[' | '{"a":[' | '{'): string {
  let text = '';
  for (let n = 0; text.length < BODY_LENGTH; n += 1) {
    const name = head === '{' ? `"${n.toString(36)}":` : '';
    text += `${n === 0 ? '' : ','}${name}${values[n % values.length] ?? ''}`;
  }
  return head + text + { '[': ']', '{"a":[': ']}', '{': '}' }[head];
}

/** Time of the processor that the work takes, in microseconds: other programs use the clock's. */
function timeOf(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}

/**
 * Expects work to take less than `times` as long as other work, by the least of several attempts: any one may include a compilation,
 * or the collection of what other tests have left. Slow work is slow in each of them.
 */
function expectWithin(times: number, other: () => void, work: () => void): void {
  let [least, leastOfOther] = [Infinity, Infinity];
  for (let attempt = 0; attempt < 5 || (attempt < 25 && least >= times * leastOfOther); attempt += 1) {
    least = Math.min(least, timeOf(work));
    leastOfOther = Math.min(leastOfOther, timeOf(other));
  }
  expect(least / leastOfOther).toBeLessThan(times);
}

describe('parseJsonBody', () => {
  it('keeps every digit of an int64, in any notation', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat(25), (value, zeros) => {
        expect(categoryOf(`${value}`)).toBe(value);
        expect(categoryOf(`${value}.${'0'.repeat(zeros + 1)}`)).toBe(value);
        // "00e-1" is no JSON.
        if (value !== 0n) expect(categoryOf(`${value}${'0'.repeat(zeros)}e-${zeros}`)).toBe(value);
        expect(categoryOf(`${value}E0`)).toBe(value);
      }),
    );
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9.007199254740993e15', 9007199254740993n],
    ['123456789012345e3', 123456789012345000n],
    ['7', 7n],
    ['7.0', 7n],
    ['7e0', 7n],
    ['70e-1', 7n],
    ['-0', 0n],
    ['-0.0e5', 0n],
  ])('reads %s as the integer it is', (text, value) => {
    expect(categoryOf(text)).toBe(value);
  });

  it.each([
    '7.5',
    '1.00000000000000000001',
    '9223372036854775808',
    '1e400',
    '1e999999999',
    '1e-999999999',
    '1e19',
  ])('does not take %s for an int64', (text) => {
    expect(categoryOf(text)).toBeUndefined();
  });

  it('reads what JSON.parse reads, for every value without large numbers', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__' && key !== 'constructor'),
          fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), fc.array(fc.string())),
        ),
        (value) => {
          const text = JSON.stringify(value);
          expect(parse(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it.each([
    '{"name":"a","name":"b"}',
    '{"name":"a","n\\u0061me":"b"}',
    '{"name":"a","name":"a"}',
    '{"x":{"name":1,"name":2}}',
    '[{"name":1,"name":2}]',
    '{"__proto__":{"name":"a"}}',
    '{"__proto__":1,"name":"a"}',
    '{"\\u005f_proto__":1}',
    '{"x":{"__proto__":1}}',
    '{"x":[{"__proto__":{}}]}',
    `{"x":1${',"a":1'.repeat(10_000)}}`,
    ' '.repeat(65_536),
    '{"constructor":{"prototype":{"x":1}}}',
    '{"name":"a"',
    '',
    '\uFEFF{}',
    "{'name':1}",
    '{"a":1,}',
  ])('rejects %j', (text) => {
    expect(rejection(text)).toBe('malformed_json');
  });

  it('reads 500 levels, and reports an error for more, of any kind', () => {
    for (const nested of [arrays, objects]) {
      expect(() => parse(nested(500))).not.toThrow();
      expect(() => parse(nested(501))).toThrow('nested more than 500 levels deep');
    }
    expect(() => parse(`{"a":"${'[{'.repeat(1000)}","b":"\\"${'['.repeat(1000)}"}`)).not.toThrow();
  });

  it('names a member that is duplicate, or would reach a prototype', () => {
    expect(() => parse('{"a":{"name":1,"name":2}}')).toThrow('contains the member "name" twice');
    const [longest, longer] = ['x'.repeat(40), 'x'.repeat(41)];
    expect(() => parse(`{"${longest}":1,"${longest}":2}`)).toThrow(/ "x{40}" twice/);
    expect(() => parse(`{"${longer}":1,"${longer}":2}`)).toThrow(/ "x{40}…" twice/);
    expect(() => parse('{"__proto__":1}')).toThrow('the member "__proto__"');
    expect(() => parse('{"constructor":{"prototype":1}}')).toThrow('the member "constructor"');
  });

  it('rejects a nesting too deep for the stack', () => {
    expect(rejection(`{"a":${'['.repeat(60_000)}`)).toBe('malformed_json');
    expect(rejection('{"a":'.repeat(10_000))).toBe('malformed_json');
    expect(rejection(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)).toBe('malformed_json');
  });

  it('does not treat very long numbers as int64', () => {
    expect(categoryOf(`1${'0'.repeat(60_000)}1`)).toBeUndefined();
    expect(categoryOf(`0.${'0'.repeat(60_000)}1`)).toBeUndefined();
  });

  it('takes no more than 20 times as long as JSON.parse for any 64 KiB', () => {
    const fragments = fc.array(fragment, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fragments, fc.constantFrom('[', '{"a":[', '{'), (values, head) => {
        const bytes = Buffer.from(filledWith(values, head));
        const parseAlone = (): unknown => JSON.parse(bytes.toString());
        expectWithin(20, parseAlone, () => rejection(bytes));
      }),
      { numRuns: cases(40), endOnFailure: true },
    );
  });

  it('reads the numbers of the body’s own members exactly, and no others', () => {
    const [one, nested] = ['9007199254740993', '[9007199254740993]'];
    expect(parse(`{"a":${nested},"b":${one}}`)).toEqual({ a: [Number(one)], b: BigInt(one) });
    expect(parse(nested)).toEqual([Number(one)]);
  });

  it('rejects bytes that are not UTF-8', () => {
    for (const bytes of ['22c32822', '22ff22', '22c0af22', '22eda08022'])
      expect(rejection(Buffer.from(bytes, 'hex'))).toBe('malformed_json');
  });

  it('keeps a member merely named constructor, for later stages to ignore', () => {
    expect(parse('{"constructor":"Ferrari"}')).toEqual({ constructor: 'Ferrari' });
  });
});
