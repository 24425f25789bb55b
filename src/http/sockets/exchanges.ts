import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A request and the answer that it gets. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The last request of each connection. Answers leave in the order of the requests, so its answer is the last one, too. */
const lastExchanges = new WeakMap<Duplex, Exchange>();

export function rememberExchanges(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    lastExchanges.set(request.socket, { request, response });
  });
}

/** The request whose body is still arriving on a connection, if there is one. */
export function exchangeUnderWay(socket: Duplex): Exchange | undefined {
  const last = lastExchanges.get(socket);
  return last?.request.complete === false ? last : undefined;
}

/** Acts when all that was asked on a connection so far has its answer: what is written earlier would be taken for one. */
export function afterAnswers(socket: Duplex, act: () => void): void {
  const response = lastExchanges.get(socket)?.response;
  if (response === undefined || response.writableFinished || response.destroyed) act();
  else response.once('close', act);
}
