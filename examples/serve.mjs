// npm run example: serves the shop, and the client below /client, as any static web server would. SHOP_PORT and CLIENT change the port and
// the folder of the client. PORT is that of the service, which may be set in the same shell.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { env } from 'node:process';

const { SHOP_PORT = '5173', CLIENT = join(import.meta.dirname, '../client') } = env;

/** @type {Record<string, string>} */
const MEDIA_TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** @param {string} sentence @returns {never} */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

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
if (!/^\d{1,5}$/.test(SHOP_PORT) || Number(SHOP_PORT) > 65_535)
  fail(`SHOP_PORT must be a port from 0 to 65535, not ${SHOP_PORT}.`);
server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== 'EADDRINUSE') throw error;
  fail(`Port ${SHOP_PORT} is in use, perhaps by another example: set SHOP_PORT to another one.`);
});
server.listen(Number(SHOP_PORT), 'localhost', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`The shop is at http://localhost:${port}`);
});
