// How long the disk takes to make a commit durable: without it the figures of new animals mean nothing.
import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { quantile } from './statistics.mjs';

const SYNCS = 200;
const BLOCK_BYTES = 8192;
const BLOCKS = 64;

/** File systems in memory, by the numbers that Linux gives them: tmpfs and ramfs. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6]);

/**
 * Times the write of a block of PostgreSQL's log, and its way to the disk, in a file that exists already.
 *
 * @param {string} directory
 * @returns {Promise<{ medianMs: number, p99Ms: number, inMemory: boolean }>}
 */
export async function measureFsync(directory) {
  const file = join(directory, 'fsync-test');
  const handle = await open(file, 'w');
  const times = [];
  try {
    await handle.write(Buffer.alloc(BLOCK_BYTES * BLOCKS, 1));
    await handle.sync();
    const block = Buffer.alloc(BLOCK_BYTES, 2);
    for (let sync = 0; sync < SYNCS; sync += 1) {
      const begin = performance.now();
      await handle.write(block, 0, BLOCK_BYTES, (sync % BLOCKS) * BLOCK_BYTES);
      await handle.datasync();
      times.push(performance.now() - begin);
    }
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
  const { type } = await statfs(directory);
  return {
    medianMs: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    inMemory: process.platform === 'linux' && IN_MEMORY.has(type),
  };
}
