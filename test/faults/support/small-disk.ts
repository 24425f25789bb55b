import { execFile } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asSuperuser, type PostgresServer } from './postgres-server.js';

/** A disk that is full with a few thousand pets, and on it the tables that grow. */
export interface SmallDisk {
  close(): Promise<void>;
}

const run = promisify(execFile);
const SIZE = '64m';
const TABLES = ['pets', 'orders', 'idempotency_keys'];

/** Mounts it, which takes root, and moves the tables there. The log stays elsewhere: full, it would end the server. */
export async function openSmallDisk(server: PostgresServer): Promise<SmallDisk> {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'petstore-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=777`, 'petstore-disk', path]);
  await chmod(path, 0o777);
  const data = join(path, 'data');
  await asSuperuser(server, `copy (select 1) to program 'mkdir -m 700 ${data}'`);
  await asSuperuser(server, `create tablespace small location '${data}'`);
  await asSuperuser(server, 'grant create on tablespace small to petstore');
  for (const table of TABLES) {
    await asSuperuser(server, `alter table ${table} set tablespace small`, 'petstore');
  }
  return {
    close: async () => {
      await run('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}

/** Fills it to the last page. */
export async function fillDisk(server: PostgresServer): Promise<{ free(): Promise<void> }> {
  await asSuperuser(server, 'create table filler (bytes text) tablespace small', 'petstore');
  // Rows too short to be compressed, and ever less at a time, so that nothing is left in the end.
  for (const rows of [10_000, 1000, 100, 10, 1]) {
    const insert = `insert into filler select repeat(md5(n::text), 60) from generate_series(1, ${rows}) as n`;
    const add = (): Promise<unknown> => asSuperuser(server, insert, 'petstore');
    while (
      await add().then(
        () => true,
        () => false,
      )
    );
  }
  return {
    free: async () => {
      await asSuperuser(server, 'drop table filler', 'petstore');
      // The file is gone when every session has let go of it.
      await asSuperuser(server, 'checkpoint');
    },
  };
}
