import { afterAll, beforeAll } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from './database.js';
import { startService, type TestService, type TestServiceOptions } from './service.js';
import { openTestPool } from './test-pool.js';

type Headers = Readonly<Record<string, string>>;

/** A service for the tests of a file or of a `describe` block. */
export interface ServiceInUse extends TestService {
  /** Limits that no test reaches by accident. */
  readonly key: string;
  readonly keyId: bigint;
  /** With the key. */
  get(path: string, headers?: Headers): Promise<Response>;
  /** With the key, and a body of JSON. */
  send(method: string, path: string, body: string, headers?: Headers): Promise<Response>;
  post(path: string, body: string, headers?: Headers): Promise<Response>;
}

/** Starts a service, which has a database of its own, before the tests, and closes it after them. */
export function useService(options: TestServiceOptions = {}): ServiceInUse {
  const service = {} as ServiceInUse;
  beforeAll(async () => {
    const started = await startService(options);
    const { id: keyId, key } = await started.issueKey();
    Object.assign(service, inUse(started, { keyId, key }));
  });
  afterAll(async () => {
    await Promise.all((replicasOf.get(service) ?? []).flat().map((replica) => replica.close()));
    await service.close();
  });
  return service;
}

function inUse(
  started: TestService,
  { key, keyId }: { readonly key: string; readonly keyId: bigint },
): ServiceInUse {
  const send: ServiceInUse['send'] = (method, path, body, headers) =>
    started.fetch(path, { key, method, body, headers: { 'content-type': 'application/json', ...headers } });
  return {
    ...started,
    ...{ key, keyId, send },
    get: (path, headers = {}) => started.fetch(path, { key, headers }),
    post: (path, body, headers) => send('POST', path, body, headers),
  };
}

/** Closed before the service whose database they share. */
const replicasOf = new WeakMap<TestService, readonly (readonly TestService[])[]>();

/** Starts more services on the database of one that is in use, with its key. */
export function useReplicas(
  of: ServiceInUse,
  count: number,
  options: Omit<TestServiceOptions, 'databaseUrl'> = {},
): readonly ServiceInUse[] {
  const replicas: ServiceInUse[] = [];
  replicasOf.set(of, [...(replicasOf.get(of) ?? []), replicas]);
  beforeAll(async () => {
    const starting = Array.from({ length: count }, () =>
      startService({ ...options, databaseUrl: of.databaseUrl }),
    );
    replicas.push(...(await Promise.all(starting)).map((started) => inUse(started, of)));
  });
  return replicas;
}

/** A database with connections of its owner. */
export interface DatabaseInUse extends TestDatabase {
  readonly pool: Pool;
}

/** Creates a migrated database before the tests, and drops it after them. */
export function useDatabase(connections = 10): DatabaseInUse {
  const database = {} as DatabaseInUse;
  beforeAll(async () => {
    const created = await createTestDatabase();
    Object.assign(database, created, { pool: openTestPool(created.url, { max: connections }) });
  });
  afterAll(async () => {
    await database.pool.end();
    await database.drop();
  });
  return database;
}
