import type { Clock } from '../clock.js';
import type { Decision } from '../decision.js';
import type { Cors } from './cors.js';
import { rateLimitLines } from './rate-limit-lines.js';

export interface StampOptions {
  /** Limits and removal dates go by it. */
  readonly clock: Clock;
  readonly cors: Cors;
}

export interface Stamped {
  /** The identifier of the request. */
  readonly id: string;
  readonly decision: Decision;
  /** Where the page comes from that asks, as far as its browser tells. */
  readonly origin?: string | undefined;
}

/** The headers that every answer has, whoever makes it, as lines of its head, each with its end. */
export const stampOf = ({ clock, cors }: StampOptions, { id, decision, origin }: Stamped): string =>
  `${rateLimitLines(decision, clock.nowMs())}${cors.lines(origin)}x-request-id: ${id}\r\n`;
