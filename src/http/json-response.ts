import type { Headers } from '../errors/api-error.js';

/** What a handler returns whose response is JSON text, which PostgreSQL has written, with headers or a status of its own. */
export class JsonResponse {
  constructor(
    readonly json: string,
    /** The headers, from the origin of the service for their URLs; it is empty where these are relative. */
    readonly headersAt: (origin: string) => Headers = () => ({}),
    /** The status, unless it is that of the handler. */
    readonly status?: number,
  ) {}
}
