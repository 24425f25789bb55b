/** Version 1, for which there are no types yet. */
declare module 'negotiator' {
  import type { IncomingHttpHeaders } from 'node:http';

  export default class Negotiator {
    constructor(request: { readonly headers: IncomingHttpHeaders });

    /** The encoding of highest weight for the client, and among equal ones the first that is preferred. */
    encoding(
      available: readonly string[],
      options: { readonly preferred: readonly string[] },
    ): string | undefined;
  }
}
