import { HANGS, type Reply } from './send.js';

export interface Judgement {
  /** The body of a success, as JSON. */
  readonly json: unknown;
  readonly code: string | undefined;
  /** Why the answer is wrong, if it is. */
  readonly wrong: string | undefined;
}

export interface Expectation {
  /** Why a success is not the right one; undefined when it is. */
  readonly faultOf: (json: unknown) => string | undefined;
  readonly status: number;
  /** Refusals that are right, too, by status and code. */
  readonly orElse?: readonly string[];
}

/**
 * Nobody waits longer than 2 s for an answer. The rest is for a machine on which a load, three replicas and a database have
 * other tests beside them; the figures tell the longest that anybody waited.
 */
export const ANSWERED_MS = 4000;

/** Holds an answer against what may be answered: the right one, or 503 with `Retry-After` in time. */
export function judge(
  reply: Reply,
  ms: number,
  expected: Expectation,
  mayBreak: (body: string) => boolean,
): Judgement {
  const json = parse(reply.body);
  const code = reply.status >= 400 ? text(json, 'code') : undefined;
  return { json, code, wrong: faultOf(reply, ms, expected, mayBreak, json, code) };
}

function faultOf(
  reply: Reply,
  ms: number,
  expected: Expectation,
  mayBreak: (body: string) => boolean,
  json: unknown,
  code: string | undefined,
): string | undefined {
  const { status, headers, body } = reply;
  if (status === 0) return body !== HANGS && mayBreak(body) ? undefined : `no answer: ${body}`;
  if (ms > ANSWERED_MS) return `${status} after ${Math.round(ms)} ms`;
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (!/^\d+$/.test(String(headers[name]))) return `${status} with ${name}: ${String(headers[name])}`;
  }
  if (status === 503 || status === 429) {
    const known = code === 'service_unavailable' || expected.orElse?.includes(`${status} ${code}`) === true;
    if (!known) return `${status} ${code}`;
    return Number(headers['retry-after']) >= 1 ? undefined : `${status} without Retry-After`;
  }
  if (status === expected.status) return expected.faultOf(json);
  return expected.orElse?.includes(`${status} ${code}`) === true ? undefined : `${status} ${body}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function text(of: unknown, name: string): string | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
