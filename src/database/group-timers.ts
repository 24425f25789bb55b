/** What a group needs of time; its tests bring their own. */
export interface GroupTimers {
  /** Milliseconds, on a clock that never goes back. */
  now(): number;
  /** Runs a task once, after everything that has already arrived at this process was read. */
  soon(task: () => void): void;
  /**
   * Runs a task at intervals until the returned function is called, without keeping the process alive. It runs after everything
   * that has already arrived was read.
   */
  every(intervalMs: number, task: () => void): () => void;
}

export const systemTimers: GroupTimers = {
  now: () => performance.now(),
  // The event loop reads each socket in a turn of its own and empties the microtasks after each, so only `setImmediate`,
  // which comes after the last of them, joins the requests of several connections. Measured over two groups a request and
  // 64 connections, best of four: 14,600 requests/s against 11,400 for sending at once or in a microtask with two
  // statements under way, and 14,700 against 7,600 with four; 35 to 42 questions a statement against 5 to 11. A single
  // client waits 2 µs longer, of 175.
  soon: (task) => {
    setImmediate(task);
  },
  every: (intervalMs, task) => {
    let turn: NodeJS.Immediate | undefined;
    // Timers run before sockets are read: after a stall of the process a result that is here would be given up.
    const timer = setInterval(() => {
      turn = setImmediate(task);
    }, intervalMs).unref();
    return () => {
      clearInterval(timer);
      clearImmediate(turn);
    };
  },
};
