// Preloaded into a server: counts its allocations between two signals, and prints them as JSON.
import { createHook } from 'node:async_hooks';
import { GCProfiler } from 'node:v8';

const made = { promises: 0, timers: 0 };
const KINDS = { PROMISE: 'promises', Timeout: 'timers' };

// The hook makes promises larger, so bytes are counted in a process without it.
if (process.env.BENCH_COUNT === 'made') {
  createHook({
    init: (_id, type) => {
      const kind = KINDS[type];
      if (kind !== undefined) made[kind] += 1;
    },
  }).enable();
}

const used = () => process.memoryUsage().heapUsed;
let begin;

process.on('SIGUSR2', () => {
  if (begin === undefined) {
    begin = { ...made, used: used(), profiler: new GCProfiler() };
    begin.profiler.start();
    return;
  }
  // Bytes allocated between two collections: the heap before the second minus the heap after the first.
  let [bytes, last] = [0, begin.used];
  for (const { beforeGC, afterGC } of begin.profiler.stop().statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - last;
    last = afterGC.heapStatistics.usedHeapSize;
  }
  const counts = {
    promises: made.promises - begin.promises,
    timers: made.timers - begin.timers,
    bytes: bytes + used() - last,
  };
  begin = undefined;
  process.stdout.write(`${JSON.stringify(counts)}\n`);
});
