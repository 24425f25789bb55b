import type { Headers } from '../errors/api-error.js';

/** A handler's response of JSON text written by PostgreSQL, with its own headers or status. */
export class JsonResponse {
  constructor(
    readonly json: string,
    /** The headers, given the service's origin for their URLs; it is empty for relative ones. */
    readonly headersAt: (origin: string) => Headers = () => ({}),
    /** Overrides the handler's status. */
    readonly status?: number,
  ) {}
}
