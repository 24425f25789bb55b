import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { type Dashboard, isOwnSite } from '../dashboard/dashboard.js';
import { ListenError } from './listen.error.js';
import type { Readiness } from './readiness.js';

/** Probes and scrapers send a few hundred bytes at once. */
const REQUEST_TIMEOUT_MS = 5000;

/** For supervisors, Prometheus and operators, on a port of its own without keys and limits, which must not be reachable from outside. */
export class ManagementServer {
  readonly #server: Server;

  constructor(
    private readonly readiness: Readiness,
    private readonly registry: Registry,
    readonly dashboard: Dashboard,
  ) {
    this.#server = createServer(
      { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
      ({ method, url = '', headers }, response) => {
        if (method !== 'GET' && method !== 'HEAD') {
          response.setHeader('allow', 'GET, HEAD');
          return this.#sendJson(response, 405, { status: 'method_not_allowed' });
        }
        this.#respond(url, headers, response).catch((error: unknown) => {
          this.#sendJson(response, 500, { status: 'error', message: String(error) });
        });
      },
    );
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @throws ListenError when it cannot listen there */
  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening').catch((error: unknown) => {
      throw new ListenError('cannot listen on MANAGEMENT_PORT', { cause: error });
    });
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(url: string, headers: IncomingHttpHeaders, response: ServerResponse): Promise<void> {
    const { readiness, registry, dashboard } = this;
    switch (url.split('?', 1)[0]) {
      case '/health/live':
        return this.#sendJson(response, 200, { status: 'live' });
      case '/health/ready': {
        const { isReady, checks } = await readiness.check();
        if (!isReady) return this.#sendJson(response, 503, { status: 'not_ready', checks });
        const isWell = checks.settings === 'ok';
        return this.#sendJson(response, 200, { status: 'ready', ...(!isWell && { checks }) });
      }
      case '/metrics': {
        // A page of another site, or of a name that leads here (DNS rebinding), could read the metrics in a visitor's browser.
        if (
          !isOwnSite(headers['sec-fetch-site']) ||
          (isBrowser(headers) && !dashboard.isAllowed(headers.host))
        )
          return this.#sendJson(response, 403, { status: 'other_sites_may_not_read' });
        response.setHeader('content-type', registry.contentType);
        return this.#send(response, 200, await registry.metrics());
      }
      case undefined:
      default: {
        const request = {
          target: url,
          host: headers.host,
          site: headers['sec-fetch-site'],
        };
        const page = /^\/(?:dashboard|$|\?)/.test(url) ? await dashboard.respond(request) : undefined;
        if (page === undefined) return this.#sendJson(response, 404, { status: 'not_found' });
        for (const [name, value] of Object.entries(page.headers)) response.setHeader(name, value);
        return this.#send(response, page.status, page.body);
      }
    }
  }

  #sendJson(response: ServerResponse, status: number, body: unknown): void {
    response.setHeader('content-type', 'application/json').setHeader('cache-control', 'no-store');
    this.#send(response, status, JSON.stringify(body));
  }

  #send(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status).end(body);
  }
}

/** Over http, browsers send `Sec-Fetch-Site` only to localhost, but always a language, which no scraper does. */
const isBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-site'] !== undefined ||
  headers['accept-language'] !== undefined ||
  headers['user-agent']?.startsWith('Mozilla/') === true;
