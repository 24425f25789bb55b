import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, env, execPath } from 'node:process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from '../support/process.js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { holdOpen } from '../support/operators.js';
import { useDatabase } from '../support/use-service.js';

const database = useDatabase(1);

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
  it('reads an exported audit log from standard input', async () => {
    const { child, stderr, ended } = start(['db', 'restored', '--audit', '-', '--yes', '--json'], {
      DATABASE_URL: database.url,
    });
    const printed = text(child.stdout);
    child.stdin.end('\n');
    expect({ code: await ended, stderr: await stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(await printed)).toMatchObject({ keys: [], gapSince: null });
  });

  it('exits with 0 when the reader closes the output early', async () => {
    await database.pool.query(
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
      await database.pool.query(
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

  it.each([
    [
      'keys issue --name unread --plan free',
      1,
      /^Cannot write the output: write EPIPE\nKey \d+ has a new secret, which is lost\./,
    ],
    ['plans list', 0, /^$/],
  ])('exits with 1 only if the unread output is that of a change: %s', async (command, code, expected) => {
    const { child, stderr, ended } = start(command.split(' '), { DATABASE_URL: database.url });
    child.stdout.destroy();
    expect([await ended, await stderr]).toEqual([code, expect.stringMatching(expected)]);
  });

  it('says what happened when it is interrupted', async () => {
    await database.pool.query(
      `insert into api_keys (id, name, plan_id) values (2, 'second', 'free') on conflict do nothing`,
    );
    const holder = await holdOpen(database.url, 'select from api_keys where id = 2 for update', []);
    const { child, stderr, ended } = start(['keys', 'rotate', '2'], { DATABASE_URL: database.url });
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'petstore cli' and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    });
    child.kill('SIGINT');
    expect([await ended, await stderr]).toEqual([
      130,
      'Interrupted.\nNothing was changed in the database.\n',
    ]);
    await holder.stop();
    const { rowCount } = await database.pool.query('select from api_key_secrets where api_key_id = 2');
    expect(rowCount).toBe(0);
  });

  it('says how to start a service where none runs', async () => {
    const environment = { DATA_DIR: join(tmpdir(), `petstore-${randomUUID()}`) };
    const message = `No PostgreSQL is running in ${environment.DATA_DIR}.\nStart the service there (npm start)`;
    for (const command of [
      ['doctor', '--json'],
      ['keys', 'list'],
      ['db', 'url'],
      ['db', 'migrate'],
    ]) {
      const { output, ended } = runProgram('cli/main.js', command, environment);
      expect({ code: await ended, output: output.stdout + output.stderr }).toMatchObject({
        code: 1,
        output: expect.stringContaining(command.includes('--json') ? 'No PostgreSQL is running in' : message),
      });
    }
    expect(existsSync(environment.DATA_DIR)).toBe(false);
  });

  it('imports keys from standard input', async () => {
    const to = join(tmpdir(), `keys-${randomUUID()}.csv`);
    const { child, stderr, ended } = start(['keys', 'import', '-', '--to', to], {
      DATABASE_URL: database.url,
    });
    const printed = text(child.stdout);
    child.stdin.end('name,plan\nAcme,free\n');
    expect({ code: await ended, stderr: await stderr }).toEqual({ code: 0, stderr: '' });
    expect(await printed).toBe(`1 keys issued: ${to}\n`);
    rmSync(to);
  });
});
