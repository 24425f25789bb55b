import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { isContention } from '../../prisma/database-errors.js';
import { CliError } from '../cli-error.js';
import { connect, queryOne } from '../session.js';

/**
 * How long one attempt waits for the lock. A transaction that has drawn from the sequence keeps it until it ends, and
 * the service's inserts queue behind this attempt: the service gives up a lock after 400 ms.
 */
const LOCK_MS = 250;

/** Between two attempts, so that queued inserts get through. */
const PAUSE_MS = 500;

/** As long as a migration waits. */
const WAIT_MAX_MS = 60_000;

/**
 * Identifiers from here on do not move the sequence. Moved past the largest int64 it would never add a pet again; below
 * 2^62 it does not reach that by itself.
 */
const SEQUENCE_ID_END = 2n ** 62n;

/**
 * Makes the service's next identifiers follow the gathered ones, before these are added: otherwise the service would
 * draw one of them, wait for the import to end and fail.
 */
export async function movePetsSequence(client: Client, url: string): Promise<void> {
  const { last, next } = await queryOne<{ last: bigint | null; next: bigint }>(
    client,
    `select
       (select max(id) from imported_pets where id < $1) as last,
       (select last_value + is_called::int from pets_id_seq) as next`,
    [SEQUENCE_ID_END],
  );
  if (last !== null && last >= next) await moveSequencePast(last, url);
}

/**
 * Moves the sequence of the pets past an identifier, never back. Uses a connection of its own, because the sequence
 * stays locked until the transaction ends.
 *
 * @throws CliError when other transactions keep the sequence locked for `waitMaxMs`
 */
export async function moveSequencePast(last: bigint, url: string, waitMaxMs = WAIT_MAX_MS): Promise<void> {
  const client = await connect(url);
  try {
    const giveUpMs = performance.now() + waitMaxMs;
    while (!(await tryMove(client, last))) {
      if (performance.now() >= giveUpMs) throw await lockedError(client, waitMaxMs);
      await delay(Math.min(PAUSE_MS, waitMaxMs));
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** False: the sequence is locked. */
async function tryMove(client: Client, last: bigint): Promise<boolean> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    // Changes nothing, but locks the sequence against being drawn from, as nothing else does.
    await client.query('alter sequence pets_id_seq increment by 1');
    await client.query(`select setval('pets_id_seq', greatest($1, last_value)) from pets_id_seq`, [last]);
    await client.query('commit');
    return true;
  } catch (fault) {
    // A lost connection has rolled back already.
    await client.query('rollback').catch(() => undefined);
    if (isContention(fault)) return false;
    throw fault;
  }
}

async function lockedError(client: Client, waitMaxMs: number): Promise<CliError> {
  // Of several sessions the one whose transaction began first: those of the service end at once. A prepared
  // transaction has no session.
  const { rows } = await client.query<{ pid: number }>(
    `select pid
     from pg_locks
     join pg_stat_activity using (pid)
     where relation = 'pets_id_seq'::regclass and granted
     order by xact_start
     limit 1`,
  );
  const pid = rows[0]?.pid;
  return new CliError(
    `Nothing was imported: for ${waitMaxMs / 1000} s a transaction${pid === undefined ? '' : ` of session ${pid}`} stayed open that has drawn from pets_id_seq, which has to go on after the ids of the file.`,
    `Have it ended${pid === undefined ? '' : `, for example by select pg_terminate_backend(${pid})`}, and import again; or give --new-ids.`,
  );
}
