import { asSuperuser, type PostgresServer } from './postgres-server.js';

/** From here on each commit that waits for the disk waits for a standby, too, and there is none. */
export async function awaitAbsentStandby(server: PostgresServer): Promise<void> {
  await asSuperuser(server, `alter system set synchronous_standby_names = 'nobody'`);
  await asSuperuser(server, 'select pg_reload_conf()');
}

/** Lets the commits that wait go on. */
export async function awaitNoStandby(server: PostgresServer): Promise<void> {
  await asSuperuser(server, 'alter system reset synchronous_standby_names');
  await asSuperuser(server, 'select pg_reload_conf()');
}
