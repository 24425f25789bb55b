// What kind of machine this is, without its name, and what it does besides.
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

export const machine = () => ({
  processors: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release().split('-')[0]}`,
  node: process.version,
  /** Processes that ran or wanted to, in the last minute. */
  loadBefore: loadavg()[0],
});
