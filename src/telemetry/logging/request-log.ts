import fastJson from 'fast-json-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { SocketResponse } from '../../http/observer.js';
import { routeConfigOf } from '../../common/route.decorators.js';

/** Which requests have a line: all, those that are our fault (5xx), or only those that nobody can explain (500). */
export type LogRequests = 'all' | 'errors' | 'off';

/** One line for each request, when it is answered. */
export class RequestLog {
  readonly #destination: { write(line: string): void };
  readonly #isLogged: (status: number) => boolean;

  /**
   * @param destination takes a whole line with its end
   * @param logger its level holds for these lines, too: `info`, and `error` from 500 on
   */
  constructor(
    destination: { write(line: string): void },
    which: LogRequests,
    logger: Pick<Logger, 'isLevelEnabled'>,
  ) {
    this.#destination = destination;
    const isInfoLogged = which === 'all' && logger.isLevelEnabled('info');
    const isErrorLogged = logger.isLevelEnabled('error');
    this.#isLogged = (status) =>
      status < 500 ? isInfoLogged : isErrorLogged && (which !== 'off' || status === 500);
  }

  answered(request: FastifyRequest, reply: FastifyReply, traceId: string | undefined): void {
    if (!this.#isLogged(reply.statusCode)) return;
    const { caller } = request.decision ?? {};
    this.#tell({
      requestId: request.id,
      method: request.method,
      operation: routeConfigOf(request).operation,
      path: withoutQuery(request.url),
      status: reply.statusCode,
      ms: reply.elapsedTime,
      keyId: caller?.keyId,
      plan: caller?.planId,
      traceId,
      clientAddress: request.clientAddress ?? '',
      isGone: reply.raw.destroyed,
      failure: request.failure,
    });
  }

  respondedOnSocket({ id, address, decision, error }: SocketResponse): void {
    if (!this.#isLogged(error.status)) return;
    const { caller } = decision;
    this.#tell({
      requestId: id,
      status: error.status,
      keyId: caller?.keyId,
      plan: caller?.planId,
      clientAddress: address,
      failure: error,
    });
  }

  #tell(facts: RequestFacts): void {
    this.#destination.write(requestLine(facts));
  }
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/**
 * What a line says of a request; what is undefined is not in it.
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

const TEXT = { type: 'string' } as const;

/** In the order in which a line tells them. Each request has a line, and pino's checks of every member take three times as long. */
const stringify = fastJson({
  type: 'object',
  properties: {
    level: { type: 'integer' },
    time: TEXT,
    requestId: TEXT,
    method: TEXT,
    operation: TEXT,
    path: TEXT,
    status: { type: 'integer' },
    ms: { type: 'number' },
    keyId: TEXT,
    plan: TEXT,
    traceId: TEXT,
    clientAddress: TEXT,
    clientGone: { type: 'boolean' },
    err: {},
    msg: TEXT,
  },
});

/** One JSON line, as pino would write it. */
export function requestLine(facts: RequestFacts): string {
  const { status, path, ms, keyId } = facts;
  const line = stringify({
    level: status < 500 ? INFO : ERROR,
    time: logTime(),
    requestId: facts.requestId,
    method: facts.method,
    operation: facts.operation,
    path: path?.slice(0, PATH_LENGTH_MAX),
    status,
    ms: ms && Math.round(ms * 100) / 100,
    // Text, because many programs that read logs take every number for a double.
    keyId: keyId?.toString(),
    plan: facts.plan,
    traceId: facts.traceId,
    clientAddress: facts.clientAddress,
    clientGone: facts.isGone === true ? true : undefined,
    err: status < 500 ? undefined : described(facts.failure, status),
    msg: 'request',
  });
  return `${line}\n`;
}

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

let millisecond = Number.NaN;
let told = '';

/** Now, as RFC 3339 in UTC with milliseconds. The lines of one millisecond share it. */
function logTime(): string {
  const nowMs = Date.now();
  if (nowMs !== millisecond) {
    millisecond = nowMs;
    told = new Date(nowMs).toISOString();
  }
  return told;
}
