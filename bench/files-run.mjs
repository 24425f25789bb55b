// node bench/files-run.mjs [METHOD PATH [BODY]]: the files of the service that run for one warm request, by V8's precise
// coverage. A file counts when one of its functions runs, also from a timer at that time. Without arguments: GET /v1/pets.
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openTemporaryDatabase } from '../tools/temporary-database.mjs';
import { startServer } from './servers/start.mjs';

const [method = 'GET', path = '/v1/pets', body] = process.argv.slice(2);
const dist = fileURLToPath(new URL('../dist', import.meta.url));

const database = await openTemporaryDatabase();
try {
  const server = await startServer('dist/main.js', { DATABASE_URL: database.url, MANAGEMENT_PORT: '0' });
  try {
    const key = await prepare();
    const send = async () => {
      const response = await fetch(server.address + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    };
    await server.ask('startCoverage');
    for (let count = 0; count < 5; count += 1) await send();
    await server.ask('filesRun');
    const status = await send();
    // The log line is written a moment later.
    await delay(100);
    const files = (await server.ask('filesRun'))
      .filter((url) => url.startsWith(`file://${dist}/`))
      .map((url) => relative(dist, fileURLToPath(url)))
      .sort();
    process.stdout.write(
      `${files.join('\n')}\n${files.length} files run for ${method} ${path} (${status})\n`,
    );
  } finally {
    await server.stop();
  }
} finally {
  await database.close();
}

/** A key, and pets 1 to 100. */
async function prepare() {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(
    "insert into pets (name, category_id, status) select 'Pet', 1, 'available' from generate_series(1, 100)",
  );
  const { rows } = await client.query("select key from issue_api_key('files-run', 'pro')");
  await client.end();
  return rows[0].key;
}
