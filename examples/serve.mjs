// npm run example: serves the shop, and the client below /client, as any static web server would. PORT and CLIENT change the port and
// the folder of the client.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { env } from 'node:process';

const { PORT = '5173', CLIENT = join(import.meta.dirname, '../client') } = env;

/** @type {Record<string, string>} */
const MEDIA_TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

const server = createServer((request, response) => {
  const path = new URL(`http://localhost${request.url}`).pathname;
  const file = path.startsWith('/client/')
    ? join(CLIENT, path.slice('/client'.length))
    : join(import.meta.dirname, 'shop', path === '/' ? 'index.html' : path);
  const mediaType = MEDIA_TYPES[extname(file)] ?? 'application/octet-stream';
  readFile(file).then(
    (content) => response.setHeader('content-type', `${mediaType}; charset=utf-8`).end(content),
    () => response.writeHead(404).end(),
  );
});
server.listen(Number(PORT), 'localhost', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`The shop is at http://localhost:${port}`);
});
