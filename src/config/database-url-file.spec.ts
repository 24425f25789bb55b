import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';

const URL = 'postgresql://api:secret@db/petstore';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-secrets-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(text: string): string {
  const file = join(directory, `${Math.random()}`);
  writeFileSync(file, text);
  return file;
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('DATABASE_URL_FILE', () => {
  it('names a file with the connection string, which may end in a line break', () => {
    const { database } = loadConfig({ DATABASE_URL_FILE: fileWith(`${URL}\n`) });
    expect(database.url).toBe(URL);
  });

  it('is an error next to DATABASE_URL, because only one can apply', () => {
    expect(faultsOf({ DATABASE_URL_FILE: fileWith(URL), DATABASE_URL: URL })).toEqual([
      'DATABASE_URL_FILE: must not be set together with DATABASE_URL',
    ]);
  });

  it('is an error if the file is missing or empty, never an embedded database', () => {
    const missing = join(directory, 'missing');
    expect(faultsOf({ DATABASE_URL_FILE: missing })).toEqual([
      `DATABASE_URL_FILE: cannot read ${missing} (ENOENT)`,
    ]);
    const empty = fileWith(' \n');
    expect(faultsOf({ DATABASE_URL_FILE: empty })).toEqual([`DATABASE_URL_FILE: the file ${empty} is empty`]);
  });

  it('is reported with all other faults, and its content is never repeated', () => {
    const faults = faultsOf({ DATABASE_URL_FILE: fileWith('mysql://u:secret@db'), PORT: 'x' });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(
      expect.arrayContaining(['DATABASE_URL_FILE', 'PORT']),
    );
    expect(faults.join()).not.toContain('secret');
  });
});

describe('DATABASE_PASSWORD_FILE', () => {
  const withoutPassword = 'postgresql://api@db:5432/petstore?sslmode=verify-full';

  it.each([
    [' a ', ' a '],
    ['a\r\n', 'a'],
    ['a\n\r\n', 'a'],
  ])('takes the line ends away from %j, and nothing else', (content, password) => {
    const { url = '' } = loadConfig({
      DATABASE_URL: withoutPassword,
      DATABASE_PASSWORD_FILE: fileWith(content),
    }).database;
    expect(decodeURIComponent(new globalThis.URL(url).password)).toBe(password);
  });

  it('names a file with the password of the URL, whatever characters it has', () => {
    const password = `a%40b@c/d:é"?#`;
    const environment = { DATABASE_URL: withoutPassword, DATABASE_PASSWORD_FILE: fileWith(`${password}\n`) };
    const { url = '' } = loadConfig(environment).database;
    expect(decodeURIComponent(new globalThis.URL(url).password)).toBe(password);
    expect(url.replace(/:[^:@]+@/, '@')).toBe(withoutPassword);
  });

  it('also works with a URL file', () => {
    const environment = {
      DATABASE_URL_FILE: fileWith(withoutPassword),
      DATABASE_PASSWORD_FILE: fileWith('x'),
    };
    expect(loadConfig(environment).database.url).toBe(withoutPassword.replace('@', ':x@'));
  });

  it.each([undefined, URL, 'postgresql://db/petstore', 'nonsense'])(
    'is a fault beside the URL %s, and is never repeated',
    (url) => {
      const file = fileWith('hidden');
      const faults = faultsOf({ ...(url && { DATABASE_URL: url }), DATABASE_PASSWORD_FILE: file });
      expect(faults.join(' ')).toMatch(/DATABASE_PASSWORD_FILE: needs a DATABASE_URL|DATABASE_URL: must/);
      expect(faults.join(' ')).not.toContain('hidden');
    },
  );
});
