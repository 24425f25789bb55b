import { readFile } from 'node:fs/promises';
import type { Replica } from '../../support/replicas.js';

/** What the processes hold in memory now, together. Linux tells it; elsewhere it is 0. */
export async function residentMb(replicas: readonly Pick<Replica, 'pid'>[]): Promise<number> {
  const each = await Promise.all(
    replicas.map(async ({ pid }) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return each.reduce((sum, mb) => sum + mb, 0);
}
