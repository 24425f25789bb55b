import type { IncomingHttpHeaders } from 'node:http';

/** Whether a proxy has said for whom it asks (`X-Forwarded-For`, or `Forwarded` of RFC 7239). */
export const looksForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;

/**
 * Warns, once in a process, that requests come through a proxy that is not trusted: all its clients would share one
 * address's limit. For use when `TRUST_PROXY` is unset. Once only, because clients can write these headers as well.
 */
export class UntrustedProxyWarning {
  readonly #warn: (message: string) => void;
  #done = false;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  observe(headers: IncomingHttpHeaders): void {
    if (this.#done || !looksForwarded(headers)) return;
    this.#done = true;
    this.#warn(
      'A request came with X-Forwarded-For or Forwarded, but TRUST_PROXY is not set: behind a proxy all clients ' +
        "without a valid key share one address's limit. Set TRUST_PROXY to the proxy's address, if there is a proxy.",
    );
  }
}
