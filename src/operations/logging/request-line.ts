import { logTime } from './log-time.js';

/**
 * What a line says of a request; what is undefined is not in it. Paths and the names of plans may hold any character; the
 * other texts were made or checked by the service, and need no escaping.
 */
export interface RequestFacts {
  readonly requestId: string;
  readonly method?: string | undefined;
  readonly operation?: string | undefined;
  /** Without the query. */
  readonly path?: string | undefined;
  readonly status: number;
  readonly ms?: number | undefined;
  readonly keyId?: bigint | undefined;
  readonly plan?: string | undefined;
  readonly traceId?: string | undefined;
  readonly clientAddress: string;
  /** The client did not wait for the answer. */
  readonly isGone?: boolean;
  /** What went wrong, with 5xx. */
  readonly failure?: unknown;
}

/** A path is told as far as this: the longest of the interface is a tenth of it. */
const PATH_LENGTH_MAX = 256;

/** The numbers of pino's levels. */
const INFO = 30;
const ERROR = 50;

/**
 * One JSON line, as pino would write it. It is put together by hand because each request has one: pino with its checks of
 * every member takes three times as long.
 */
export function requestLine(facts: RequestFacts): string {
  const { requestId, method, operation, path, status, ms, keyId, plan, traceId, clientAddress } = facts;
  let line = `{"level":${status < 500 ? INFO : ERROR},"time":"${logTime()}","requestId":"${requestId}"`;
  if (method !== undefined) line += `,"method":"${method}"`;
  if (operation !== undefined) line += `,"operation":"${operation}"`;
  if (path !== undefined) line += `,"path":${quoted(path.slice(0, PATH_LENGTH_MAX))}`;
  line += `,"status":${status}`;
  if (ms !== undefined) line += `,"ms":${twoDecimals(ms)}`;
  // Text, because many programs that read logs take every number for a double.
  if (keyId !== undefined) line += `,"keyId":"${keyId}"`;
  if (plan !== undefined) line += `,"plan":${quoted(plan)}`;
  if (traceId !== undefined) line += `,"traceId":"${traceId}"`;
  line += `,"clientAddress":"${clientAddress}"`;
  if (facts.isGone === true) line += ',"clientGone":true';
  if (status >= 500) line += `,"err":${JSON.stringify(described(facts.failure, status))}`;
  return `${line},"msg":"request"}\n`;
}

/** Writing two integers takes a third of the time that writing a fraction does. */
function twoDecimals(value: number): string {
  const hundredths = Math.round(value * 100);
  const fraction = hundredths % 100;
  return `${(hundredths - fraction) / 100}.${fraction < 10 ? '0' : ''}${fraction}`;
}

const NEEDS_ESCAPE = /[^ !#-[\]-~]/;
const quoted = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/** A fault of the code with its stack; of "nobody can answer now", which comes in thousands, no more than what it says. */
function described(failure: unknown, status: number): unknown {
  if (!(failure instanceof Error)) return { message: String(failure) };
  const { name, message, cause } = failure;
  if (status === 500) return { type: name, message, stack: withCauses(failure) };
  return { type: name, message, ...(cause instanceof Error && { cause: cause.message }) };
}

/** The causes one below the other, as far as somebody reads: a cause may be its own. */
function withCauses(error: Error, left = 5): string {
  const { stack = `${error.name}: ${error.message}`, cause } = error;
  return cause instanceof Error && left > 0 ? `${stack}\ncaused by: ${withCauses(cause, left - 1)}` : stack;
}
