// The OpenAPI document as the built service serves it, without a database and without a port.
import { createApp } from '../../dist/app.js';
import { loadConfig } from '../../dist/config/config.js';
import { createLogger } from '../../dist/operations/logging/logger.js';
import { RequestLog } from '../../dist/operations/logging/request-log.js';
import { ConnectionPools } from '../../dist/prisma/connection-pools.js';
import { PrismaService } from '../../dist/prisma/prisma.service.js';
import { Signals } from '../../dist/operations/signals.js';

/** Nobody listens there, and nobody asks: public documents need no database. */
const NOWHERE = 'postgresql://nobody@127.0.0.1:1/nothing';

/** The text of the document, in the form that the path names. */
export async function servedDocument(path) {
  const config = loadConfig({ DATABASE_URL: NOWHERE });
  const connections = new ConnectionPools({
    ...config.database,
    url: NOWHERE,
    onConnectionLost: () => undefined,
  });
  const prisma = new PrismaService(connections);
  try {
    const logger = createLogger('silent');
    const signals = new Signals(new RequestLog(() => undefined, 'off', logger));
    const app = await createApp({ config, prisma, logger, signals });
    await app.init();
    const { statusCode, body } = await app.inject({ url: path });
    await app.close();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
    return body;
  } finally {
    await prisma.close();
  }
}
