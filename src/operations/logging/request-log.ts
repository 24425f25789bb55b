import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { SocketAnswer } from '../../http/ports/observer.js';
import { routeConfigOf } from '../../http/route.decorators.js';
import { type RequestFacts, requestLine } from './request-line.js';

/** Which requests have a line: all, those that are our fault (5xx), or only those that nobody can explain (500). */
export type LogRequests = 'all' | 'errors' | 'off';

/** One line for each request, when it is answered. */
export class RequestLog {
  readonly #write: (line: string) => void;
  readonly #isLogged: (status: number) => boolean;

  /**
   * @param write takes a whole line with its end
   * @param logger its level holds for these lines, too: `info`, and `error` from 500 on
   */
  constructor(write: (line: string) => void, which: LogRequests, logger: Pick<Logger, 'isLevelEnabled'>) {
    this.#write = write;
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

  answeredOnSocket({ id, status, address, decision, error }: SocketAnswer): void {
    if (!this.#isLogged(status)) return;
    const { caller } = decision;
    this.#tell({
      requestId: id,
      status,
      keyId: caller?.keyId,
      plan: caller?.planId,
      clientAddress: address,
      failure: error,
    });
  }

  #tell(facts: RequestFacts): void {
    this.#write(requestLine(facts));
  }
}

function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
