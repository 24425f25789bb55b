import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { copyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { json, type Petstore, petstoreOn } from './support/petstore.js';
import type { PrintedKey } from './support/use-petstore.js';

/** What entries of the audit log have, besides what changed. */
const ENTRY = {
  ...{
    changed_at: '2099-01-31T00:00:00.000Z',
    action: 'update',
    api_key_id: 987_654,
    plan_id: null,
    old: {},
  },
  ...{ actor: 'alice', application: 'test', role: 'test' },
};

/** The columns by which a key is admitted or not. */
const STATE =
  'select id, revoked_at, suspended_until, expires_at, access from api_keys where id <= $1 order by id';
const SECRETS =
  'select prefix, expires_at from api_key_secrets where api_key_id <= $1 order by api_key_id, created_at';

const NAMES = ['revoked', 'suspended', 'expiring', 'reading', 'rotated', 'untouched', 'resumed'] as const;

let folder: string;
/** The database that was lost, with all changes. */
let before: TestDatabase;
let backup: TestDatabase;
let file: string;
const keys = new Map<string, PrintedKey>();
const idOf = (name: string): string => String(keys.get(name)?.id);

const issue = async (petstore: Petstore, name: string): Promise<void> => {
  keys.set(
    name,
    await json<PrintedKey>(petstore(['keys', 'issue', '--name', name, '--plan', 'pro', '--json'])),
  );
};

async function query<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-restored-'));
  file = join(folder, 'audit.jsonl');
  before = await createTestDatabase();
  const petstore = petstoreOn(before.url);
  for (const name of NAMES) await issue(petstore, name);
  await petstore(['keys', 'suspend', idOf('resumed')]);
  backup = await copyDatabase(before.url);

  const change = async (...args: string[]): Promise<void> => {
    expect(await petstore(args)).toMatchObject({ code: 0 });
  };
  await change('keys', 'revoke', idOf('revoked'), '--yes');
  await change('keys', 'suspend', idOf('suspended'), '--for', '7d');
  await change('keys', 'set-expiry', idOf('expiring'), '2099-01-31T00:00:00Z');
  await change('keys', 'set-access', idOf('reading'), 'read');
  await change('keys', 'rotate', idOf('rotated'), '--overlap', '0', '--yes');
  await change('keys', 'resume', idOf('resumed'));
  await change('keys', 'set-limits', idOf('untouched'), '--per-minute', '5');
  await change('plans', 'set', 'free', '--per-minute', '61');
  await issue(petstore, 'lost');
  await change('keys', 'revoke', idOf('lost'), '--yes');
  const first = await petstore(['audit', '--json-lines', '--since', '1h']);
  const second = await petstore(['audit', '--json-lines']);
  await writeFile(file, `${first.stdout}${second.stdout}`);
});
afterAll(async () => {
  await Promise.all([before.drop(), backup.drop()]);
  await rm(folder, { recursive: true });
});

/** A database as it is after a restore. */
async function restored(run: (petstore: Petstore, url: string) => Promise<void>): Promise<void> {
  const database = await copyDatabase(backup.url);
  try {
    await run(petstoreOn(database.url), database.url);
  } finally {
    await database.drop();
  }
}

/** The secret that a rotation has ended. */
const secretOf = async (url: string): Promise<object[]> =>
  (await query(url, SECRETS, [idOf('rotated')])).slice(-1);

describe('petstore db restored', () => {
  it('gives keys the state that they had, and says what is lost and where the export ends', () =>
    restored(async (petstore, url) => {
      const last = idOf('resumed');
      expect(await query(url, STATE, [last])).not.toEqual(await query(before.url, STATE, [last]));
      const { code, stdout, stderr } = await petstore(['db', 'restored', '--audit', file], { reply: 'y' });
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^This changes 5 keys and 0 secrets/),
      });
      expect(await query(url, STATE, [last])).toEqual(await query(before.url, STATE, [last]));
      expect(stdout).toContain(`key ${idOf('revoked')}: revoked_at: `);
      expect(stdout).toContain(`key ${idOf('resumed')}: suspended_until: -`);
      expect(stdout).toMatch(
        /^Lost, must be reissued:\n {2}secret psk_\w{8} of key \d+\n {2}key \d+ \(lost\)\nValid again/m,
      );
      expect(stdout).toContain(`key ${idOf('untouched')}: requests_per_minute: 5`);
      expect(stdout).toContain('plan free: requests_per_minute: 61');
      expect(stdout).toMatch(
        /^The export ends at \d{4}-.+Z\. What was revoked after that, before the failure, is valid again\.$/m,
      );
      const [entry] = await query<{ actor: string }>(
        url,
        'select actor from audit_log order by id desc limit 1',
      );
      expect(entry).toEqual({ actor: 'alice' });
    }));

  it('keeps the old secret of a rotation valid, unless --end-rotated is given', () =>
    restored(async (petstore, url) => {
      const valid = await secretOf(url);
      const { stdout } = await petstore(['db', 'restored', '--audit', file, '--yes']);
      expect(stdout).toMatch(
        /^Valid again, because their successors are lost .+\n {2}secret psk_\w{8} of key/m,
      );
      expect(await secretOf(url)).toEqual(valid);
    }));

  it('ends the old secret of a rotation as it was, with --end-rotated', () =>
    restored(async (petstore, url) => {
      const { stdout } = await petstore(['db', 'restored', '--audit', file, '--yes', '--end-rotated']);
      expect(stdout).not.toContain('Valid again, because');
      const [{ expires_at: ended }] = (await secretOf(url)) as [{ expires_at: Date }];
      expect(ended.getTime()).toBeLessThan(Date.now());
    }));

  it('never reuses an id for a new key, pet, order or audit entry', () =>
    restored(async (petstore, url) => {
      const largest = 'select max(id) as id from audit_log';
      const [used] = (await query(before.url, largest)) as [{ id: string }];
      const outcome = await json<object>(
        petstore(['db', 'restored', '--audit', file, '--yes', '--json', '--ids-after', '9007199254740993']),
      );
      expect(outcome).toMatchObject({
        lost: [expect.any(String), expect.any(String)],
        gapSince: expect.any(String),
      });
      const next = await json<PrintedKey>(
        petstore(['keys', 'issue', '--name', 'next', '--plan', 'pro', '--json']),
      );
      expect(next.id).toBeGreaterThan(keys.get('lost')?.id ?? NaN);
      const [first] = (await query(url, 'select min(id) as id from audit_log where id > $1', [used.id])) as [
        { id: string },
      ];
      expect(BigInt(first.id)).toBeGreaterThan(BigInt(used.id));
      const [pet] = await query(
        url,
        `insert into pets (name, category_id) values ('Rex', 1) returning id > 9007199254740993 as is_new`,
      );
      expect(pet).toEqual({ is_new: true });
    }));

  it('completes the audit log, so a second run finds nothing, even in an array', () =>
    restored(async (petstore, url) => {
      await petstore(['db', 'restored', '--audit', file, '--yes']);
      const entries = await query(
        before.url,
        'select id, actor, action, table_name, old, new from audit_log',
      );
      const whole = await query(url, 'select id, actor, action, table_name, old, new from audit_log');
      expect(whole).toEqual(expect.arrayContaining(entries));
      // What is changed after the restore stays, whatever was done to the key before it.
      await petstore(['keys', 'resume', idOf('suspended')]);
      const state = await query(url, STATE, [idOf('resumed')]);
      const array = join(folder, 'audit.json');
      await writeFile(array, (await petstoreOn(before.url)(['audit', '--json', '--limit', '1000'])).stdout);
      const again = await json<object>(petstore(['db', 'restored', '--audit', array, '--yes', '--json']));
      expect(again).toMatchObject({ keys: [], secrets: [], lost: [], kept: [], others: [] });
      expect(await query(url, STATE, [idOf('resumed')])).toEqual(state);
    }));

  it('reports ids missing from the export, and lines that are not entries', () =>
    restored(async (petstore) => {
      const lines = (await petstoreOn(before.url)(['audit', '--json-lines'])).stdout.trimEnd().split('\n');
      const damaged = join(folder, 'damaged.jsonl');
      // What revoked a key, which is the first change after the backup, and the end of another line.
      const kept = lines.filter((line) => !line.includes('"revoked_at"'));
      const [first = '', ...others] = kept;
      await writeFile(damaged, `${[first, '[7]', ...others].join('\n')}\n${lines[0]?.slice(0, 40)}\n`);
      const { code, stdout } = await petstore(['db', 'restored', '--audit', damaged, '--yes']);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^Left out:\n {2}Line 2 is no entry of the audit log: .+\.\n {2}Line \d+ is no entry of the audit log: invalid input syntax for type json\.$/m,
      );
      expect(stdout).toMatch(
        /^Ids without an entry: .+:\n {2}(\d+) to \1, between \d{4}-\S+ and \d{4}-\S+\n/m,
      );
    }));

  it('does not undo changes to keys after the restore', () =>
    restored(async (petstore, url) => {
      // After a crash a sequence has skipped numbers, so the entry may have one that no entry of the file has.
      await query(url, `select setval(pg_get_serial_sequence('audit_log', 'id'), 8000)`);
      await petstore(['keys', 'suspend', idOf('reading')]);
      const state = await query(url, STATE, [idOf('resumed')]);
      const { code, stderr } = await petstore(['db', 'restored', '--audit', file, '--yes']);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^Keys were changed in this database after the restore: entry \d+ /),
      });
      expect(await query(url, STATE, [idOf('resumed')])).toEqual(state);
    }));

  it('mistakes no export entry for a later change, despite millisecond precision', () =>
    restored(async (petstore, url) => {
      // Of two transactions at once, the restored database lacks the one that drew its number first and committed last.
      const [first, last] = await query<{ id: string }>(
        before.url,
        `select id from audit_log where table_name = 'api_keys' and action = 'update' order by id limit 2`,
      );
      const lines = (await readFile(file, 'utf8')).split('\n');
      const both = lines.filter(
        (line) => line.includes(`"id":${first?.id},`) || line.includes(`"id":${last?.id},`),
      );
      const pair = join(folder, 'pair.jsonl');
      await writeFile(pair, both.join('\n'));
      const [{ changed_at: at }] = (await query(
        before.url,
        'select changed_at::text from audit_log where id = $1',
        [last?.id],
      )) as [{ changed_at: string }];
      await query(
        url,
        `insert into audit_log (id, changed_at, role, action, table_name, api_key_id) overriding system value
         values ($1, date_trunc('milliseconds', $2::timestamptz) + interval '999 microseconds', 'test', 'update', 'api_keys', 1)`,
        [last?.id, at],
      );
      expect(await petstore(['db', 'restored', '--audit', pair, '--yes'])).toMatchObject({ code: 0 });
    }));

  it('says which keys and secrets it could not change', () =>
    restored(async (petstore, url) => {
      const entries = [
        { id: 9000, table_name: 'api_keys', new: { access: 'read' } },
        { id: 9001, table_name: 'api_key_secrets', new: { expires_at: '2099-01-31T00:00:00Z' } },
      ].map((entry) => Object.assign(entry, ENTRY));
      const foreign = join(folder, 'foreign.jsonl');
      await writeFile(foreign, entries.map((entry) => JSON.stringify(entry)).join('\n'));
      expect(await petstore(['db', 'restored', '--audit', foreign, '--yes'])).toMatchObject({
        code: 1,
        stderr:
          'Could not be applied: key 987654 (not in the database), secret - of key 987654 (not in the database).\n',
      });
      // A second run has nothing to end.
      expect(await petstore(['db', 'restored', '--audit', foreign, '--yes', '--end-rotated'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^This file has been applied already, so --end-rotated ends nothing\./),
      });
      expect(await query(url, 'select from audit_log where id in (9000, 9001)')).toHaveLength(2);
    }));

  it('applies the rest of a file with a change that PostgreSQL rejects, and names it', () =>
    restored(async (petstore, url) => {
      // Three of a batch, so that each is found among others.
      const wrong = { suspended: { access: 'admin' }, resumed: { revoked_at: '9999-01-01T00:00:00Z' } };
      const right = {
        revoked: { access: 'read', requests_per_minute: 7 },
        reading: { expires_at: null, requests_per_minute: 7 },
      };
      const entries = Object.entries({ ...wrong, ...right }).map(([name, values], index) =>
        Object.assign({}, ENTRY, {
          id: 9000 + index,
          table_name: 'api_keys',
          api_key_id: Number(idOf(name)),
          new: values,
        }),
      );
      const ended = { prefix: keys.get('expiring')?.key.slice(0, 12), expires_at: 'some day' };
      const secret = { ...ENTRY, id: 9010, table_name: 'api_key_secrets', api_key_id: 3, new: ended };
      const partly = join(folder, 'partly.jsonl');
      await writeFile(partly, [...entries, secret].map((entry) => JSON.stringify(entry)).join('\n'));
      const { code, stdout, stderr } = await petstore(['db', 'restored', '--audit', partly, '--yes']);
      const both = `2 keys (${idOf('revoked')}, ${idOf('reading')}): requests_per_minute: 7\n`;
      expect(stdout).toContain(both);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(
            `: key ${idOf('suspended')} \\(invalid input value for enum api_key_access: "admin"\\), ` +
              `key ${idOf('resumed')} \\(revoked_at .+ is in the future, .+\\), secret psk_\\w{8} of key 3 \\(invalid input syntax .+\\)\\.\n$`,
          ),
        ),
      });
      expect(
        await query(url, 'select id::text, access from api_keys where id = any ($1) order by access', [
          [idOf('revoked'), idOf('suspended')],
        ]),
      ).toEqual([
        { id: idOf('revoked'), access: 'read' },
        { id: idOf('suspended'), access: 'write' },
      ]);
    }));

  it('changes nothing without consent, or while a replica is connected', () =>
    restored(async (petstore, url) => {
      const state = await query(url, STATE, [idOf('resumed')]);
      expect(await petstore(['db', 'restored', '--audit', file], { reply: 'n' })).toMatchObject({ code: 1 });
      const replica = new Client({ connectionString: url, application_name: 'petstore' });
      await replica.connect();
      expect(await petstore(['db', 'restored', '--audit', file, '--yes'])).toMatchObject({
        code: 1,
        stderr: 'The service is connected to this database.\nStop all replicas, then run this again.\n',
      });
      await replica.end();
      expect(await query(url, STATE, [idOf('resumed')])).toEqual(state);
    }));

  it.each([
    [
      '{"id":1}\n',
      'Line 1 is no entry of the audit log: null value in column "changed_at" of relation "lacking" violates not-null constraint.',
    ],
    ['\n{"id":', 'Line 2 is no entry of the audit log: invalid input syntax for type json.'],
    [
      '[7]',
      'The file is no entry of the audit log: null value in column "id" of relation "lacking" violates not-null constraint.',
    ],
    ['\n{"actor":"M\u00FCller"}', 'Line 2 is no entry of the audit log: it is not UTF-8.'],
  ])('names what is wrong with the file %j', async (text, fault) => {
    const wrong = join(folder, 'wrong.jsonl');
    await writeFile(wrong, text, 'latin1');
    const { code, stderr } = await petstoreOn(backup.url)(['db', 'restored', '--audit', wrong, '--yes']);
    expect({ code, fault: stderr.split('\n')[0] }).toEqual({ code: 1, fault });
  });

  it('says that there is no such file, and that the id is none', async () => {
    const petstore = petstoreOn(backup.url);
    expect((await petstore(['db', 'restored', '--audit', '/nowhere', '--yes'])).stderr).toMatch(
      /^Cannot read \/nowhere: /,
    );
    expect(await petstore(['db', 'restored', '--audit', file, '--ids-after', '0'])).toMatchObject({
      code: 2,
    });
  });
});
