import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectionTo } from '../src/config/database-tls.js';
import { describeError } from '../src/errors/describe-error.js';
import { closeSession, openSession } from '../src/database/session-settings.js';
import { findingsOf, petstoreOn } from './cli/support/petstore.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { send } from './support/send.js';
import { startService, type TestService } from './support/service.js';
import { createTcpProxy } from './support/tcp-proxy.js';
import { CERTIFICATES, type CertificateName, createTlsServer, type TlsServer } from './support/tls-server.js';

const CA = `sslrootcert=${CERTIFICATES}ca.pem`;
/** A CA that has signed nothing here. */
const OTHER_CA = `sslrootcert=${CERTIFICATES}other-host.pem`;
const IDENTITY = `sslcert=${CERTIFICATES}server.pem&sslkey=${CERTIFICATES}server.key`;

const UNKNOWN = /^the server's certificate is not accepted: .*; set sslrootcert to its CA file$/;
const OTHER_NAME = /^the server's certificate is not accepted: .*localhost.*other\.example/;

let database: TestDatabase;
let server: TlsServer;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  server = await createTlsServer(database.url);
});
afterEach(() => server.close());

/** `connected`, or why not. */
async function connect(url: string): Promise<string> {
  try {
    await closeSession(await openSession(connectionTo(url), 1000));
    return 'connected';
  } catch (error) {
    return describeError(error);
  }
}

describe('sslmode in DATABASE_URL means what it means to libpq', () => {
  it.each<[parameters: string, certificate: CertificateName, outcome: string | RegExp]>([
    ['sslmode=require', 'other-host', 'connected'],
    ['sslmode=no-verify', 'other-host', 'connected'],
    ['sslmode=require&sslnegotiation=postgres', 'other-host', 'connected'],
    [`sslmode=no-verify&${OTHER_CA}`, 'server', 'connected'],
    // With a CA, `require` is `verify-ca`.
    [`sslmode=require&${CA}`, 'other-host', 'connected'],
    [`sslmode=require&${OTHER_CA}`, 'server', UNKNOWN],
    [`sslmode=verify-ca&${CA}`, 'other-host', 'connected'],
    [`sslmode=verify-ca&${OTHER_CA}`, 'server', UNKNOWN],
    [`sslmode=verify-full&${CA}`, 'server', 'connected'],
    [`sslmode=verify-full&${CA}&uselibpqcompat=true`, 'server', 'connected'],
    [`sslmode=verify-full&${CA}`, 'other-host', OTHER_NAME],
    [`sslmode=verify-full&${OTHER_CA}`, 'server', UNKNOWN],
    // The CAs of the system do not know it.
    ['sslmode=verify-full', 'server', UNKNOWN],
    ['sslmode=verify-full&sslrootcert=system', 'server', UNKNOWN],
  ])('%s, and the certificate of %s', async (parameters, certificate, outcome) => {
    server.present(certificate);
    expect(await connect(server.url(parameters))).toMatch(outcome);
  });

  it('disable does not connect to a server that requires TLS', async () => {
    expect(await connect(server.url('sslmode=disable'))).toBe('Connection terminated unexpectedly');
  });

  it('require does not connect to a server without TLS', async () => {
    const plain = await createTcpProxy(database.url);
    const url = new URL(plain.url);
    url.search = 'sslmode=require';
    expect(await connect(url.href)).toMatch(/^The server does not support SSL connections; /);
    await plain.close();
  });

  it('uses no TLS on a socket of this machine', () => {
    const { ssl } = connectionTo('postgresql://u@localhost/petstore?host=/run/postgresql&sslmode=require');
    expect(ssl).toBe(false);
  });

  it('verifies an address that the certificate names', async () => {
    const url = new URL(server.url(`sslmode=verify-full&${CA}`));
    url.hostname = '127.0.0.1';
    expect(await connect(url.href)).toBe('connected');
    server.present('other-host');
    expect(await connect(url.href)).toMatch(/127\.0\.0\.1/);
  });

  it('shows a certificate of its own where the URL names one', async () => {
    await connect(server.url(`sslmode=verify-full&${CA}`));
    await connect(server.url(`sslmode=verify-full&${CA}&${IDENTITY}`));
    expect(server.clients).toEqual(['', 'server']);
  });

  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('trusts the CAs of %s', async (variable) => {
    const before = process.env[variable];
    process.env[variable] = `${CERTIFICATES}ca.pem`;
    try {
      expect(await connect(server.url('sslmode=verify-full'))).toBe('connected');
    } finally {
      if (before === undefined) delete process.env[variable];
      else process.env[variable] = before;
    }
  });
});

describe('a service with sslmode=verify-full', () => {
  let service: TestService;

  beforeEach(async () => {
    const databaseUrl = server.url(`sslmode=verify-full&${CA}`);
    service = await startService({ databaseUrl, provokes503: true });
  });
  afterEach(() => service.close());

  it('serves, stays away from a server with a wrong certificate and says why, and heals', async () => {
    const { key } = await service.issueKey();
    const read = () => send(service.origin, { key });
    expect(await read()).toMatchObject({ status: 200 });
    server.present('other-host');
    await eventually(async () => expect(await read()).toMatchObject({ status: 503 }));
    // Readiness and the log have the same words.
    await expect(service.prisma.pools.main.connect()).rejects.toThrow(OTHER_NAME);
    server.present('server');
    await eventually(async () => expect(await read()).toMatchObject({ status: 200 }));
  });
});

describe('petstore', () => {
  it('names a wrong certificate, and how to have it accepted', async () => {
    const { code, stderr } = await petstoreOn(server.url('sslmode=verify-full'))(['keys', 'list']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/certificate is not accepted.*set sslrootcert/),
    ]);
  });

  it.each([
    ['sslmode=no-verify', 'warn', /require, which verifies no certificate/],
    ['sslmode=require', 'ok', /^TLS \(sslmode=require\), without verification/],
    [`sslmode=verify-full&${CA}`, 'ok', /^TLS \(sslmode=verify-full\), with verification/],
  ])('doctor on %s', async (parameters, level, message) => {
    const { encryption } = await findingsOf(petstoreOn(server.url(parameters)));
    expect(encryption).toMatchObject({ level, message: expect.stringMatching(message) });
  });
});
