import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

/** A front end's own host: a page that has the client, and nothing to do with the service. */
export interface ClientPage {
  readonly origin: string;
  close(): Promise<void>;
}

/** The page maps the package's name to its file, as a front end without a bundler does, and puts the client into `globalThis`. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,">
<script type="importmap">{"imports":{"@petstore/client":"/client/dist/esm/index.js"}}</script>
<script type="module">
  import * as client from '@petstore/client';
  globalThis.client = client;
</script>`;

/** Serves the page, and the files of the installed package below `/client`, from a port of its own. */
export async function serveClientPage(packageFolder: string): Promise<ClientPage> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page.invalid').pathname);
    if (path === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
      return;
    }
    readFile(join(packageFolder, path.replace(/^\/client/, ''))).then(
      (bytes) => response.setHeader('content-type', 'text/javascript; charset=utf-8').end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    // Another port is another origin, and "localhost" another host besides.
    origin: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
