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

/** The program as users run it, with pipes for input and output. */
function start(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(execPath, [join(cwd(), 'dist/cli/main.js'), ...args], {
    env: { PATH: env['PATH'], ...environment },
    stdio: 'pipe',
  });
  // The program may exit without reading its input.
  child.stdin.on('error', () => undefined);
  return {
    child,
    stderr: text(child.stderr),
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode),
  };
}

describe('petstore as a process', () => {
  it('exits with 0 when the reader closes the output early', async () => {
    await pool.query(
      `insert into api_keys (name, plan_id) select repeat('x', 250), 'free' from generate_series(1, 5000)`,
    );
    const { child, stderr, ended } = start(['keys', 'list', '--json'], { DATABASE_URL: database.url });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toBe(0);
    expect(await stderr).toBe('');
  });

  it('works on the embedded database, and stops it again', async () => {
    const environment = { DATA_DIR: join(folder, 'data') };
    const run = async (...args: string[]) => {
      const { child, stderr, ended } = start(args, environment);
      child.stdin.end();
      const stdout = await text(child.stdout);
      return { code: await ended, stdout, stderr: await stderr };
    };
    for (const [command, message] of [
      [['doctor', '--json'], 'There is no database in'],
      [['keys', 'list'], 'There is no database in'],
      [['db', 'url'], `No PostgreSQL is running in ${environment.DATA_DIR}.\nStart the service there`],
    ] as const) {
      const { code, stdout, stderr } = await run(...command);
      expect({ code, output: stdout + stderr }).toMatchObject({
        code: 1,
        output: expect.stringContaining(message),
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
    // Stopped again after each command, so there is no connection string.
    expect(await run('db', 'url')).toMatchObject({ code: 1, stdout: '' });
    const doctor = await run('doctor');
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(doctor.stdout).not.toMatch(/^(?:warn|fail)/m);
  });
});
