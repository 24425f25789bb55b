import { cp, rm, writeFile } from 'node:fs/promises';
import { chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asSuperuser, createPostgresServer, type PostgresServer } from './postgres-server.js';

const POLL_MS = 10;

/**
 * Makes a standby of a server that has been stopped in order: a copy of its files is a base backup then. It follows the
 * server when both run.
 */
export async function createStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await createPostgresServer({
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`,
    hot_standby: 'on',
  });
  await rm(standby.cluster, { recursive: true });
  await cp(primary.cluster, standby.cluster, { recursive: true });
  await becomeStandby(standby);
  ownAs(primary.cluster, standby.cluster);
  return standby;
}

/** From its next start on a server that has been stopped is a standby, also without a primary to follow. */
export async function becomeStandby({ cluster }: PostgresServer): Promise<void> {
  await writeFile(join(cluster, 'standby.signal'), '');
  ownAs(join(cluster, 'PG_VERSION'), join(cluster, 'standby.signal'));
}

/** Makes it the primary; resolves when it takes writes. */
export async function promote(standby: PostgresServer): Promise<void> {
  await asSuperuser(standby, 'select pg_promote()');
  for (;;) {
    const [row] = await asSuperuser(standby, 'select pg_is_in_recovery() as waits');
    if (row?.['waits'] === false) return;
    await delay(POLL_MS);
  }
}

/** A copy that root made is root's. */
function ownAs(original: string, copy: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(original);
  const within = statSync(copy).isDirectory() ? readdirSync(copy, { recursive: true }) : [];
  for (const file of [copy, ...within.map((name) => join(copy, String(name)))]) chownSync(file, uid, gid);
}

/** From here on each commit that waits for the disk also waits for a standby, and there is none. */
export async function awaitAbsentStandby(server: PostgresServer): Promise<void> {
  await asSuperuser(server, `alter system set synchronous_standby_names = 'absent'`);
  await asSuperuser(server, 'select pg_reload_conf()');
}

/** Lets the commits that wait go on. */
export async function awaitNoStandby(server: PostgresServer): Promise<void> {
  await asSuperuser(server, 'alter system reset synchronous_standby_names');
  await asSuperuser(server, 'select pg_reload_conf()');
}
