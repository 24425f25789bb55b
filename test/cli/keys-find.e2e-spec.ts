import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/auth/keys/api-key.js';
import { json } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { petstore, query, issue } = usePetstore();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-find-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(content: string | Buffer): Promise<string> {
  const path = join(folder, randomUUID());
  await writeFile(path, content);
  return path;
}

interface Found {
  readonly id: number | null;
  readonly name: string | null;
  readonly prefix: string;
  readonly state: string;
  readonly works: boolean;
  readonly line: number;
  readonly times: number;
}

const find = async (content: string | Buffer, ...options: string[]): Promise<readonly Found[]> =>
  json<readonly Found[]>(petstore(['keys', 'find', await file(content), '--json', ...options]));

describe('petstore keys find', () => {
  it("shows each key's owner, first location, count, and whether it works", async () => {
    const [acme, rotated, suspended] = [await issue('Acme'), await issue('Old'), await issue('Held')];
    await query('select rotate_api_key($1, $2)', [rotated.id, '0']);
    await query('select suspend_api_key($1)', [suspended.id]);
    const other = `psk_${'x'.repeat(32)}`;
    const log = [
      'nothing',
      `GET /v1/pets "Bearer ${acme.key}" and ${acme.key}`,
      `key=${rotated.key}&more ${acme.key.slice(0, -1)}`,
      `{"key":"${suspended.key}x"} ${other}${checksumOf(other)}`,
      // Their checksums are wrong.
      `psk_${'0'.repeat(38)} ${acme.key.toUpperCase()}`,
    ].join('\r\n');
    expect(await find(log)).toMatchObject([
      { id: acme.id, name: 'Acme', prefix: acme.prefix, state: 'live', works: true, line: 2, times: 2 },
      { id: suspended.id, name: 'Held', state: 'suspended', works: true, line: 4, times: 1 },
      { id: rotated.id, name: 'Old', prefix: rotated.prefix, state: 'live', works: false, line: 3 },
      { id: null, name: null, prefix: other.slice(0, 12), state: 'unknown', works: false, line: 4 },
    ]);
  });

  it('finds a key across chunk boundaries, in binary and in UTF-16', async () => {
    const { key, id } = await issue();
    for (const before of [65_536 - 41, 65_536 - 20, 65_536 - 1, 65_536, 131_072 - 30]) {
      const [found, ...others] = await find(Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(key)]));
      expect([found?.id, found?.times, others]).toEqual([id, 1, []]);
    }
    expect(await find(Buffer.from(`\uFEFFone\r\n${key}\r\n`, 'utf16le'))).toMatchObject([{ id, line: 2 }]);
    expect(await find(`${key}${key}`)).toMatchObject([{ id, times: 2 }]);
  });

  it('revokes on request those that work, and no other', async () => {
    const [leaked, old, safe] = [await issue('Leaked'), await issue('Old'), await issue('Safe')];
    await query('select rotate_api_key($1, $2)', [old.id, '0']);
    const path = await file(`${leaked.key}\n${old.key}\n`);
    const without = await petstore(['keys', 'find', path, '--revoke']);
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining(`This permanently revokes key ${leaked.id}.`),
    ]);
    const { code, stdout } = await petstore(['keys', 'find', path, '--revoke', '--yes']);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining(leaked.key)]);
    const { rows } = await query<{ id: string; revoked: boolean }>(
      'select id::int, revoked_at is not null as revoked from api_keys where id = any($1) order by id',
      [[leaked.id, old.id, safe.id]],
    );
    expect(rows).toEqual([
      { id: leaked.id, revoked: true },
      { id: old.id, revoked: false },
      { id: safe.id, revoked: false },
    ]);
    expect(await find(leaked.key)).toMatchObject([{ state: 'revoked', works: false }]);
  });

  it('takes no key as an argument, and prints none', async () => {
    const { key } = await issue();
    const { code, stderr } = await petstore(['keys', 'find', key]);
    expect([code, stderr.includes(key)]).toEqual([2, false]);
  });

  it('reports a file without keys, and one that cannot be read', async () => {
    expect(await petstore(['keys', 'find', await file('psk_')])).toMatchObject({
      code: 0,
      stdout: 'The input contains no key.\n',
    });
    expect(await petstore(['keys', 'find', join(folder, 'none')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot read .*none: ENOENT/),
    });
  });
});

describe('the pattern for scanners in docs/operations.md', () => {
  it('is the form of issued keys', async () => {
    const [, pattern = ''] = /`(psk_\[[^`]+)`/.exec(await readFile('docs/operations.md', 'utf8')) ?? [];
    const { key } = await issue();
    expect(new RegExp(`^${pattern}$`).test(key)).toBe(true);
    expect(new RegExp(`^${pattern}$`).test(key.slice(0, -1))).toBe(false);
  });
});
