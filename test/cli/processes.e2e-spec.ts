import { closeSync, existsSync, openSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, env, execPath } from 'node:process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from '../support/process.js';
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
  // As root, PostgreSQL runs as another user, who has to enter it.
  await chmod(folder, 0o755);
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

  it.each([
    [
      'keys issue --name lost --plan free --json',
      /^Cannot write the output: ENOSPC.*\nKey (\d+) has a new secret, which is lost\. To replace it: petstore keys rotate \1 --overlap 0\n$/,
    ],
    ['keys rotate 1', /\nKey 1 has a new secret, which is lost\./],
    ['keys suspend 1', /\nThe change is in the database\.\n$/],
    ['keys list', /\nNothing was changed in the database\.\n$/],
  ])(
    'exits with 1 and says what happened when the output cannot be written: %s',
    async (command, expected) => {
      // Other systems than Linux have no such device.
      if (!existsSync('/dev/full')) return;
      await pool.query(
        `insert into api_keys (id, name, plan_id) values (1, 'first', 'free') on conflict do nothing`,
      );
      const full = openSync('/dev/full', 'w');
      const child = spawn(execPath, [join(cwd(), 'dist/cli/main.js'), ...command.split(' ')], {
        env: { PATH: env['PATH'], DATABASE_URL: database.url },
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      const [stderr] = await Promise.all([text(child.stderr ?? Readable.from([])), once(child, 'close')]);
      expect({ code: child.exitCode, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(expected) });
    },
  );

  it('works on the embedded database of a running service, and says how to start one', async () => {
    const environment = { DATA_DIR: join(folder, 'data') };
    const run = async (...args: string[]) => {
      const { child, stderr, ended } = start(args, environment);
      child.stdin.end();
      const stdout = await text(child.stdout);
      return { code: await ended, stdout, stderr: await stderr };
    };
    const message = `No PostgreSQL is running in ${environment.DATA_DIR}.\nStart the service there (npm start)`;
    for (const command of [
      ['doctor', '--json'],
      ['keys', 'list'],
      ['db', 'url'],
      ['db', 'migrate'],
    ]) {
      const { code, stdout, stderr } = await run(...command);
      expect({ code, output: stdout + stderr }).toMatchObject({
        code: 1,
        output: expect.stringContaining(command.includes('--json') ? 'No PostgreSQL is running in' : message),
      });
    }
    expect(existsSync(environment.DATA_DIR)).toBe(false);

    const service = runProgram('main.js', [], {
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...environment,
    });
    try {
      await service.printed(/^Pet Store Service: /m);
      expect(await run('db', 'migrate')).toEqual({ code: 0, stdout: 'Already up to date.\n', stderr: '' });
      const issued = await run('keys', 'issue', '--name', 'Acme', '--plan', 'free', '--json');
      expect(JSON.parse(issued.stdout)).toMatchObject({ id: 2, key: expect.stringMatching(/^psk_/) });
      expect(await run('keys', 'revoke', '2')).toMatchObject({ code: 2, stdout: '' });
      const doctor = await run('doctor');
      expect(doctor).toMatchObject({ code: 0, stderr: '' });
      expect(doctor.stdout).not.toMatch(/^(?:warn|fail)/m);
    } finally {
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    }
  });
});
