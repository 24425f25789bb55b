import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, env, execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { openTestPool } from '../support/test-pool.js';

let database: TestDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 1 });
  folder = await mkdtemp(join(tmpdir(), 'petstore-cli-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The program as its users run it, with pipes for all it reads and writes. */
function start(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(execPath, [join(cwd(), 'dist/cli/main.js'), ...args], {
    env: { PATH: env['PATH'], ...environment },
    stdio: 'pipe',
  });
  // What it does not read any more is no fault.
  child.stdin.on('error', () => undefined);
  return {
    child,
    stderr: text(child.stderr),
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode),
  };
}

const petsCount = async (): Promise<string | undefined> =>
  (await pool.query<{ count: string }>('select count(*) from pets')).rows[0]?.count;

describe('petstore as a process', () => {
  it('leaves nothing of an import that a signal ends, and says so in a line', async () => {
    const { child, stderr, ended } = start(['pets', 'import', '-', '--format', 'ndjson'], {
      DATABASE_URL: database.url,
    });
    child.stdin.write('{"name":"a","categoryId":1}\n'.repeat(1000));
    await eventually(async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity
         where datname = current_database() and application_name = 'petstore cli' and query like 'copy pets%'`,
      );
      expect(rows).toHaveLength(1);
    });
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(await stderr).toMatch(/^[^\n]+\n$/);
    expect(await petsCount()).toBe('0');
  });

  it('ends a long statement on a signal', async () => {
    const { child, stderr, ended } = start(['sql', 'select pg_sleep(60)'], { DATABASE_URL: database.url });
    await eventually(async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
      );
      expect(rows).toHaveLength(1);
    });
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(await stderr).toBe('canceling statement due to user request\n');
  });

  it('has nothing to say when its reader has seen enough', async () => {
    await pool.query(
      `insert into pets (name, category_id) select repeat('x', 250), n from generate_series(1, 20000) as n`,
    );
    const { child, stderr, ended } = start(['pets', 'export'], { DATABASE_URL: database.url });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toBe(0);
    expect(await stderr).toBe('');
  });

  it('works on the embedded database alone, and stops it again', async () => {
    const environment = { DATA_DIR: join(folder, 'data') };
    const run = async (...args: string[]) => {
      const { child, stderr, ended } = start(args, environment);
      child.stdin.end();
      const stdout = await text(child.stdout);
      return { code: await ended, stdout, stderr: await stderr };
    };
    for (const command of [
      ['doctor', '--json'],
      ['keys', 'list'],
    ]) {
      const { code, stdout, stderr } = await run(...command);
      expect({ code, told: stdout + stderr }).toMatchObject({
        code: 1,
        told: expect.stringContaining('There is no database in'),
      });
    }
    expect(existsSync(environment.DATA_DIR)).toBe(false);
    expect(await run('db', 'migrate')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^applied /),
    });
    const issued = await run('keys', 'issue', '--name', 'Acme', '--plan', 'free', '--json');
    expect(JSON.parse(issued.stdout)).toMatchObject({ id: 1, key: expect.stringMatching(/^psk_/) });
    expect(await run('keys', 'revoke', '1')).toMatchObject({ code: 2, stdout: '' });
    const doctor = await run('doctor');
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(doctor.stdout).not.toMatch(/^(?:warn|fail)/m);
  });
});
