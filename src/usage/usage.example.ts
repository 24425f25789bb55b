import type { Usage } from './usage.js';

/** A key in its first hour, on the day of the interface. */
export const USAGE_EXAMPLE: Usage = {
  plan: 'pro',
  minute: { limit: 300, remaining: 288, resetsAt: new Date('2026-11-20T09:31:00Z') },
  day: { limit: 10_000, remaining: 9_871, resetsAt: new Date('2026-11-21T00:00:00Z') },
  days: Array.from({ length: 31 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 21 + index)).toISOString().slice(0, 10);
    return index === 30 ? { day, admitted: 129n, refused: 2n } : { day, admitted: 0n, refused: 0n };
  }),
};
