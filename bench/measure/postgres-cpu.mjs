// What PostgreSQL has used of the processors, where the system tells (Linux).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA_DIRECTORY } from '../database/databases.mjs';

/** USER_HZ, which is 100 on every Linux that Node.js runs on. */
const MICROSECONDS_PER_TICK = 10_000;

/** Fields of /proc/PID/stat, counted from the state on, which follows the name in brackets. */
const PARENT = 1;
const USER = 11;
const SYSTEM = 12;
const ENDED_USER = 13;
const ENDED_SYSTEM = 14;

/** Microseconds of all processes of the server, those that have ended included; undefined where nobody knows. */
export async function postgresCpu() {
  try {
    const file = await readFile(join(DATA_DIRECTORY, 'cluster/postmaster.pid'), 'utf8');
    const postmaster = file.split('\n')[0];
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const all = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== undefined);
    let ticks = 0;
    for (const { pid, fields } of all) {
      const at = (field) => Number(fields[field]);
      if (pid === postmaster) ticks += at(USER) + at(SYSTEM) + at(ENDED_USER) + at(ENDED_SYSTEM);
      else if (fields[PARENT] === postmaster) ticks += at(USER) + at(SYSTEM);
    }
    return ticks * MICROSECONDS_PER_TICK;
  } catch {
    return undefined;
  }
}

async function readStat(pid) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    return { pid, fields: text.slice(text.lastIndexOf(')') + 2).split(' ') };
  } catch {
    return undefined; // it has ended meanwhile
  }
}
