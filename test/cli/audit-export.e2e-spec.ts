import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdOpen } from '../support/operators.js';
import { json } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { database, petstore, query, issue } = usePetstore();

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-export-'));
});
afterAll(() => rm(folder, { recursive: true }));

const newFile = (): string => join(folder, `audit-${(files += 1)}.jsonl`);

async function exportTo(file: string): Promise<number> {
  const { entries } = await json<{ entries: number }>(petstore(['audit', '--export', file, '--json']));
  return entries;
}

interface ExportLine {
  readonly id?: number;
  readonly exported?: { readonly last: number; readonly missing: readonly (readonly number[])[] };
}

const readLines = async (file: string): Promise<readonly ExportLine[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ExportLine);

const idsIn = async (file: string): Promise<number[]> =>
  (await readLines(file)).flatMap(({ id }) => (id === undefined ? [] : [id]));

const idsOfLog = async (): Promise<number[]> =>
  (await query<{ id: string }>('select id from audit_log order by id')).rows.map(({ id }) => Number(id));

describe('petstore audit --export', () => {
  it.each(['-', '--json'])('goes on in a file, which is not %s', async (path) => {
    expect(await petstore(['audit', '--export', path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('petstore audit --json-lines'),
    });
  });

  it('writes each change once, however often it runs', async () => {
    const file = newFile();
    await issue();
    expect(await exportTo(file)).toBe((await idsOfLog()).length);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await exportTo(file)).toBe(0);
    await issue();
    expect(await exportTo(file)).toBe(2);
    expect(await idsIn(file)).toEqual(await idsOfLog());
    expect((await readLines(file)).at(-1)).toEqual({
      exported: { last: (await idsOfLog()).at(-1), missing: expect.any(Array) },
    });
    expect((await petstore(['audit', '--export', file])).stdout).toBe('0 changes exported.\n');
  });

  it('gets the change of a transaction that was open meanwhile, and waits for none that was rolled back', async () => {
    const file = newFile();
    const [slow, fast] = [await issue(), await issue()];
    await exportTo(file);
    const revocation = await holdOpen(database.url, 'update api_keys set revoked_at = now() where id = $1', [
      slow.id,
    ]);
    await query(
      `do $$ begin update plans set requests_per_day = 7 where id = 'free'; raise 'no'; end $$`,
    ).catch(() => undefined);
    await petstore(['keys', 'suspend', String(fast.id)]);
    expect(await exportTo(file)).toBe(1);
    await revocation.stop();
    expect(await exportTo(file)).toBe(1);
    expect((await idsIn(file)).toSorted((one, other) => one - other)).toEqual(await idsOfLog());
    const log = new Set(await idsOfLog());
    const rolledBack = Array.from({ length: Math.max(...log) }, (_, index) => index + 1).filter(
      (id) => !log.has(id),
    );
    const { exported } = (await readLines(file)).at(-1) ?? {};
    expect(exported?.missing.flatMap(([first = 0, last = 0]) => [first, last])).toEqual(
      expect.arrayContaining([rolledBack.at(-1)]),
    );
    expect(await exportTo(file)).toBe(0);
  });

  it.each(['{"id":1,"changed_at":"2026', '{"exported":{"last":1,"missing":[[1,'])(
    'goes on after an export that was interrupted at %s',
    async (part) => {
      const file = newFile();
      await issue();
      await exportTo(file);
      await appendFile(file, part);
      await issue();
      expect(await exportTo(file)).toBe(2);
      const lines = (await readFile(file, 'utf8')).split('\n');
      expect(lines.filter((line) => line === part)).toHaveLength(1);
      const entries = lines.filter((line) => line !== part && line.startsWith('{"id":'));
      expect(entries).toHaveLength((await idsOfLog()).length);
    },
  );

  it('does not continue the file of a database that was restored since', async () => {
    const file = newFile();
    await appendFile(file, '{"exported":{"last":9007199254740993,"missing":[]}}\n');
    const { code, stderr } = await petstore(['audit', '--export', file]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^The file has entry 9007199254740993, and the audit log ends with \d+: the database was restored\.\n/,
      ),
    });
    expect(await readLines(file)).toHaveLength(1);
  });

  it('says what cannot be written', async () => {
    expect((await petstore(['audit', '--export', folder])).stderr).toMatch(/^Cannot write .+: EISDIR/);
    expect((await petstore(['audit', '--export', '/dev/null'])).stderr).toBe(
      '/dev/null is not a regular file.\n',
    );
  });
});
