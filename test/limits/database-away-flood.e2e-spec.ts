import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AdmissionPort } from '../../src/common/decision.js';
import { ask } from '../support/ask.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { sendRawUpTo } from '../support/wire.js';
import { startReplica } from '../support/replicas.js';
import { startService, type TestService } from '../support/service.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const CONNECTIONS = 375;
/** As many as one connection may have in flight. */
const PIPELINED = 16;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let key: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  service = await startService({ databaseUrl: proxy.url });
  ({ key } = await service.issueKey());
});

afterEach(async () => {
  await proxy.close();
  await service.close();
  await database.drop();
});

describe('a flood while the database is away', () => {
  it('waits in a queue that is bounded: past it a request is refused at once', async () => {
    const admission = service.app.get(AdmissionPort);
    const headers = { authorization: `Bearer ${key}` };
    expect((await admission.decide(headers, '192.0.2.1')).rejection).toBeUndefined();
    await proxy.mode('black-hole');

    const codes: (string | undefined)[] = [];
    const flood = Array.from({ length: 5500 }, async () => {
      codes.push((await admission.decide(headers, '192.0.2.1')).rejection?.code);
    });
    // Before any timer runs: on a busy machine the first of them are due by now.
    await new Promise((resolve) => process.nextTick(resolve));
    // Five thousand wait, not one more, whoever asks: at about a kilobyte each that is all the memory a flood can take here,
    // beside the one statement that is under way.
    expect(codes).toHaveLength(5500 - 5000 - 32);
    await Promise.all(flood);
    expect(new Set(codes)).toEqual(new Set(['service_unavailable']));
  });

  it('of thousands of requests is answered to the last one, and the process goes on and ends as it should', async () => {
    const replica = await startReplica({ databaseUrl: proxy.url });
    try {
      expect((await ask(replica.origin, { key })).status).toBe(200);
      await proxy.mode('black-hole');
      const one = `GET /v1/pets HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`;
      const answers = await Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          sendRawUpTo(replica.port, one.repeat(PIPELINED), PIPELINED),
        ),
      );
      const all = answers.flat();
      expect(all).toHaveLength(CONNECTIONS * PIPELINED);
      const seen = all.map(({ status, headers }) => `${status} ${String(headers.get('retry-after'))}`);
      expect([...new Set(seen)]).toEqual(['503 1']);

      await proxy.mode('pass');
      await eventually(async () => expect(await ask(replica.origin, { key })).toMatchObject({ status: 200 }));
      await proxy.mode('black-hole');
    } finally {
      await replica.stop();
    }
  });
});
