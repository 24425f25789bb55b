// The OpenAPI document as the built service serves it, without a database and without a port.
import { Test } from '@nestjs/testing';
import { AppModule } from '../../dist/app.module.js';
import { loadConfig } from '../../dist/config/config.js';
import { HttpAdapter } from '../../dist/http/http-adapter.js';
import { ManagementServer } from '../../dist/monitoring/management/management-server.js';
import { setUpOpenApi } from '../../dist/openapi/create-document.js';
import { ConnectionPools } from '../../dist/database/connection-pools.js';
import { Database } from '../../dist/database/database.js';
import { PrismaService } from '../../dist/database/prisma.service.js';
import { createLogger, nestLogger } from '../../dist/monitoring/telemetry/logger.js';

/** Nothing listens there: public documents need no database. */
const NOWHERE = 'postgresql://petstore@127.0.0.1:1/nothing';

/** The text of the document, in the form that the path names. */
export async function servedDocument(path) {
  const config = loadConfig({ DATABASE_URL: NOWHERE });
  const connections = new ConnectionPools({ ...config.database, onConnectionLost: () => undefined });
  const logger = createLogger('silent');
  const module = await Test.createTestingModule({
    imports: [AppModule.register({ config, logger })],
  })
    .overrideProvider(Database)
    .useValue(new Database(NOWHERE, false, new PrismaService(connections)))
    .overrideProvider(ManagementServer)
    .useValue({})
    .compile();
  const app = module.createNestApplication(new HttpAdapter(config, logger), { logger: nestLogger(logger) });
  try {
    setUpOpenApi(app);
    await app.init();
    const { statusCode, body } = await app.inject({ url: path });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${body}`);
    return body;
  } finally {
    await app.close();
  }
}
