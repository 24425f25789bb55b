import { type Int64, PetStore, type PetStoreOptions } from '../../client/src/index.js';
import type { TestService } from '../support/service.js';

/** A clock that only the client's waiting moves. */
export interface HandClock {
  nowMs(): number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Each wait, in ms. */
  readonly waitsMs: number[];
}

export function handClock(at: string): HandClock {
  let nowMs = Date.parse(at);
  const waitsMs: number[] = [];
  return {
    nowMs: () => nowMs,
    waitsMs,
    sleep: (ms) => {
      waitsMs.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Also makes up for the real time since the last wait, by which the client's waits are shorter, so that a slow machine changes nothing. */
export function withRealTime(sleep: Sleep): Sleep {
  let sinceMs = performance.now();
  return (ms, signal) => {
    const passedMs = performance.now() - sinceMs;
    sinceMs += passedMs;
    return sleep(ms + passedMs, signal);
  };
}

export const clientOf = <Mode extends Int64 = 'string'>(
  { origin }: TestService,
  apiKey: string,
  options: Partial<PetStoreOptions<Mode>> = {},
): PetStore<Mode> => new PetStore({ baseUrl: `${origin}/v1`, apiKey, ...options });

/** The error of a rejected call. */
export async function rejectionOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}
