import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { POLL_MS } from './server.js';

/** A service is alone on its data directory; any number of tools works beside it. */
export type Purpose = 'service' | 'tool';

/**
 * Who uses a server is kept by the server itself, as advisory locks of sessions, so it is true whatever happens: a
 * process that is killed holds nothing any more, and no file can tell otherwise. Everybody holds `USERS` shared; who
 * gets it exclusively is alone, and stops the server while nobody new comes in.
 * Advisory locks count per database: these live in `postgres`, away from the ones of the service.
 */
const USERS = '1885697139, 1';
const SERVICE = '1885697139, 2';
const SET_UP = '1885697139, 3';

/** How long the next service waits for the one before to be gone: a supervisor starts them without a gap. */
const HANDOVER_MS = 1_000;

/** What became of an attempt to be a user of the server. */
export type Admittance = 'admitted' | 'stopping' | 'occupied';

/** Makes the session one of the server's users. `occupied` leaves it one, though not the service: it has to `leave`. */
export async function enter(client: Client, purpose: Purpose): Promise<Admittance> {
  if (!(await ask(client, `pg_try_advisory_lock_shared(${USERS})`))) return 'stopping';
  if (purpose === 'tool') return 'admitted';
  const giveUp = performance.now() + HANDOVER_MS;
  while (!(await ask(client, `pg_try_advisory_lock(${SERVICE})`))) {
    if (performance.now() > giveUp) return 'occupied';
    await delay(POLL_MS);
  }
  return 'admitted';
}

/** Gives everything back. True: the session was the last user, nobody else can become one, and it has to stop the server. */
export async function leave(client: Client): Promise<boolean> {
  // First release, then try: of two that leave together, the later one finds itself alone.
  await client.query('select pg_advisory_unlock_all()');
  return ask(client, `pg_try_advisory_lock(${USERS})`);
}

/** Runs what must not be done twice at a time on one server. */
export async function oneAtATime<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`select pg_advisory_lock(${SET_UP})`);
  try {
    return await work();
  } finally {
    await client.query(`select pg_advisory_unlock(${SET_UP})`);
  }
}

async function ask(client: Client, question: string): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(`select ${question} as answer`);
  return rows[0]?.answer === true;
}
