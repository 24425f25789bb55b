import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { looksLikeKey } from '../mask-keys.js';

/** Visible ASCII without what would need escaping in a log, a shell, a page or a list of header values. */
const PLAIN = /^[!#-&(-+\--:=?-[\]-~]{1,128}$/;

/** Tells processes apart, in logs that hold lines of many: 48 bits, so that no two replicas meet by chance. */
const PROCESS = randomBytes(6).toString('hex');

let made = 0;

/** Never twice the same. Cheap, for every request has one. */
export const newRequestId = (): string => `${PROCESS}-${(made++).toString(36)}`;

/**
 * The identifier that a response and its log line carry: the caller's own in `X-Request-Id`, if it can be used. An API key
 * that was put there by mistake cannot: it would get into every log that the identifier gets into.
 */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && PLAIN.test(own) && !looksLikeKey(own) ? own : newRequestId();
}
