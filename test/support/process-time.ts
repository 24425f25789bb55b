const TURN_MS = 10;

let turns = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Milliseconds that this process had for its timers: it counts turns of a timer and reads no clock, so that it stands still
 * while a busy machine gives the process no time. For bounds that timers of a service in this process keep: no more time may pass
 * on it than on a clock, whatever else the machine does.
 */
export function processTimeMs(): number {
  timer ??= setInterval(() => (turns += 1), TURN_MS).unref();
  return turns * TURN_MS;
}
