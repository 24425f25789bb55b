import type { CliContext } from './context.js';

/** A shorter wait needs no explanation. */
const AFTER_MS = 1000;
const EVERY_MS = 200;
const WIPE = '\r\u001b[K';

interface Progress {
  /** Wipes it out. */
  stop(): void;
}

/** Shows, on a terminal and after a second, how far something is. */
export function showProgress({ draw }: CliContext, describe: () => string): Progress {
  if (draw === undefined) return { stop: () => undefined };
  let drawn = false;
  const redraw = (): void => {
    drawn = true;
    draw(`${WIPE}${describe()}`);
  };
  let timer = setTimeout(() => {
    redraw();
    timer = setInterval(redraw, EVERY_MS);
  }, AFTER_MS);
  return {
    stop: () => {
      clearTimeout(timer);
      if (drawn) draw(WIPE);
    },
  };
}

const BAR_WIDTH = 24;

/** Such as `[######..................]  25%`. */
export function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}

/** Such as `1,234,567`. */
export const count = (value: number | bigint): string => value.toLocaleString('en-US');
