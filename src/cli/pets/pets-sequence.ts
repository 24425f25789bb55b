import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { isContention } from '../../database/database-errors.js';
import { CliError } from '../cli-error.js';
import { connect } from '../session.js';

/**
 * How long the lock is awaited at a time. A transaction that has drawn from the sequence keeps it until it ends, and each
 * animal that the service adds meanwhile queues up behind who waits: the service gives a lock up after 400 ms.
 */
const LOCK_MS = 250;

/** Between two attempts: what queued up gets through, and most of the time nobody is held up. */
const PAUSE_MS = 500;

/** As long as a migration waits. Who leaves a transaction open for longer has to be asked. */
const WAIT_MAX_MS = 60_000;

/**
 * Has the sequence of the animals go on after this identifier, or where it is when that is further. On a connection of its own,
 * because the sequence stays locked until the transaction ends.
 * @throws CliError when others keep the sequence for `waitMaxMs`
 */
export async function moveSequencePast(last: bigint, url: string, waitMaxMs = WAIT_MAX_MS): Promise<void> {
  const client = await connect(url);
  try {
    const giveUp = performance.now() + waitMaxMs;
    while (!(await tryMove(client, last))) {
      if (performance.now() >= giveUp) throw await kept(client, waitMaxMs);
      await delay(Math.min(PAUSE_MS, waitMaxMs));
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** False: somebody else was in the way. */
async function tryMove(client: Client, last: bigint): Promise<boolean> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    // Changes nothing but locks the sequence against being drawn from, which nothing else does.
    await client.query('alter sequence pets_id_seq increment by 1');
    await client.query(`select setval('pets_id_seq', greatest($1, last_value)) from pets_id_seq`, [last]);
    await client.query('commit');
    return true;
  } catch (fault) {
    // A connection that is gone has rolled back already.
    await client.query('rollback').catch(() => undefined);
    if (isContention(fault)) return false;
    throw fault;
  }
}

async function kept(client: Client, waitMaxMs: number): Promise<CliError> {
  const pid = await keeper(client);
  return new CliError(
    `Nothing was imported: for ${waitMaxMs / 1000} s a transaction${pid === undefined ? '' : ` of session ${pid}`} stayed open that has drawn from pets_id_seq, which has to go on after the ids of the file.`,
    `Have it ended${pid === undefined ? '' : `, for example by select pg_terminate_backend(${pid})`}, and import again; or give --new-ids.`,
  );
}

/** The session that began its transaction first: those of the service end at once. None has a transaction that was prepared. */
async function keeper(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid
     from pg_locks
     join pg_stat_activity using (pid)
     where relation = 'pets_id_seq'::regclass and granted
     order by xact_start
     limit 1`,
  );
  return rows[0]?.pid;
}
