import { describe, expect, it } from '@jest/globals';
import { toFacts, toJson, toTable } from './output.js';
import { shown } from '../monitoring/text.js';

describe('toJson', () => {
  it('writes int64 as exact numbers', () => {
    expect(toJson({ id: 2n ** 63n - 1n, low: -(2n ** 63n) })).toBe(
      '{\n  "id": 9223372036854775807,\n  "low": -9223372036854775808\n}\n',
    );
  });
});

describe('what a terminal would execute', () => {
  it('is also escaped in JSON, and round-trips', () => {
    const name = 'a\u001b[2J\u009b\u202e\u200f\u2066\n';
    expect(toJson({ name })).toBe('{\n  "name": "a\\u001b[2J\\u009b\\u202e\\u200f\\u2066\\n"\n}\n');
    expect(JSON.parse(toJson({ name }))).toEqual({ name });
    expect(shown(name)).toBe('a\\u001b[2J\\u009b\\u202e\\u200f\\u2066\\n');
  });
});

describe('toTable', () => {
  const columns = [{ title: 'name' }, { title: 'n', isNumber: true }, { title: 'plan' }];

  it('aligns columns below their titles, without blanks at the end of a line', () => {
    expect(
      toTable(columns, [
        ['Rex', '7', 'free'],
        ['Hansi', '1000', ''],
      ]),
    ).toBe(['name      n  plan', '-----  ----  ----', 'Rex       7  free', 'Hansi  1000', ''].join('\n'));
  });

  it('counts the columns that a terminal gives to wide and to combining characters', () => {
    const table = toTable(columns, [
      ['ペット店', '1', 'x'],
      ['🐶', '2', 'x'],
      ['Zoe\u0308', '3', 'x'],
      ['12345678', '4', 'x'],
    ]);
    expect(table.split('\n').slice(2)).toEqual([
      'ペット店  1  x',
      '🐶        2  x',
      'Zoe\u0308       3  x',
      '12345678  4  x',
      '',
    ]);
  });
});

describe('a table that is too wide for the terminal', () => {
  const columns = [{ title: 'name' }, { title: 'prefix' }, { title: 'n', isNumber: true }];
  const rows = [
    ['ペット店のとても長い名前', 'psk_8QvR2mXa', '7'],
    ['Rex', 'psk_00000000', '1000'],
  ];

  it('has its free text cut', () => {
    expect(toTable(columns, rows, 36).split('\n')).toEqual([
      'name              prefix           n',
      '----------------  ------------  ----',
      'ペット店のとて…   psk_8QvR2mXa     7',
      'Rex               psk_00000000  1000',
      '',
    ]);
    expect(toTable(columns, rows, 44)).toBe(toTable(columns, rows));
  });

  it('also drops its last columns if necessary, and names them', () => {
    expect(toTable(columns, rows, 31).split('\n')).toEqual([
      'name          prefix',
      '------------  ------------',
      'ペット店の…   psk_8QvR2mXa',
      'Rex           psk_00000000',
      'Not shown in a terminal this narrow: n.',
      '',
    ]);
  });
});

describe('what people read', () => {
  it('says plainly what a value is', () => {
    expect(toFacts({ id: 7n, custom: true, own_limits: false, revoked_at: null, note: undefined })).toBe(
      'id          7\ncustom      yes\nown_limits  no\nrevoked_at  -\nnote        -\n',
    );
    expect(shown('2026-11-20T09:30:00.000Z')).toBe('2026-11-20T09:30:00Z');
    expect(shown('2026-11-20T09:30:00.123Z')).toBe('2026-11-20T09:30:00Z');
  });

  it('never contains terminal commands', () => {
    expect(shown('a\u001b[2Jb\n\tc\u0085\u202ed')).toBe('a\\u001b[2Jb\\n\\tc\\u0085\\u202ed');
  });
});
