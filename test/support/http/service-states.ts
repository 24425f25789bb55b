import { Client } from 'pg';
import { checksumOf } from '../../../src/auth/keys/api-key.js';
import type { Clock } from '../../../src/auth/admission/clock.js';
import { startService, type TestService } from '../service.js';
import { createTcpProxy } from '../tcp-proxy.js';
import { KEY_IN_PROGRESS, REQUESTS, reusedKey } from './operation-requests.js';

/**
 * The state of a service when a request comes:
 *
 * - `ordinary`: nothing is wrong; some values of `Idempotency-Key` are used up, and one of a request in progress
 * - `limited`: the client address and some keys are past their limits
 * - `impatient`: a request has four seconds to arrive
 * - `future`: deprecated operations have been removed
 * - `failing`: each statement of a repository fails in an unforeseen way
 * - `no database`: no server listens at the address of the database
 * - `silent database`: a server accepts connections there and never sends a byte
 */
export type ServiceState =
  'ordinary' | 'limited' | 'impatient' | 'future' | 'failing' | 'no database' | 'silent database';

/** A key of each kind. Those that only a database knows are as unknown as the others where there is none. */
export type Keys = Readonly<
  Record<
    | 'good'
    | 'malformed'
    | 'unknown'
    | 'expired'
    | 'revoked'
    | 'suspended'
    | 'reading'
    | 'pastMinute'
    | 'pastDay'
    | 'banned',
    string
  >
>;

export interface ServiceInState {
  readonly state: ServiceState;
  readonly service: TestService;
  readonly keys: Keys;
  /** The clock of the service, in ms. */
  readonly nowMs: () => number;
  close(): Promise<void>;
}

export const ADDRESS_LIMIT = 1_000_000;

/** The day on which deprecated operations are removed. */
const REMOVED_AT_MS = Date.UTC(2030, 11, 5);

/** Nothing ever listens on the port of tcpmux. */
const NO_DATABASE = 'postgresql://petstore@127.0.0.1:1/petstore';

/** The pets are available, but for 1 and 2. The order 1 of pet 1 is placed, the order 2 of pet 2 delivered. No pet uses a category past 10000. */
const RECORDS = `
  insert into pets (name, category_id, status)
  select 'Pet ' || n, n, 'available' from generate_series(1, 2000) as n;
  insert into categories values (1, 'Dogs'), (2, 'Felines');
  insert into categories select n, 'Category ' || n from generate_series(10001, 12000) as n;
  insert into orders (pet_id) values (1), (2);
  update orders set status = 'approved' where id = 2;
  update orders set status = 'delivered' where id = 2`;

/** Starts a service with a database of its own. Its clock stands still, so that no window turns while requests are counted. */
export async function startInState(state: ServiceState): Promise<ServiceInState> {
  const nowMs = Date.now();
  switch (state) {
    case 'no database':
      return await withoutDatabase(state, NO_DATABASE, nowMs);
    case 'silent database': {
      const proxy = await createTcpProxy(NO_DATABASE);
      await proxy.mode('black-hole');
      return await withoutDatabase(state, proxy.url, nowMs, () => proxy.close());
    }
    case 'impatient':
      return await onDatabase(state, { REQUEST_TIMEOUT_MS: '4000' }, nowMs);
    case 'limited': {
      const limited = await onDatabase(
        state,
        { ADDRESS_LIMIT_PER_MINUTE: '1', BAN_AFTER_REFUSALS: '100' },
        nowMs,
      );
      return { ...limited, keys: { ...limited.keys, ...(await useUpLimits(limited.service)) } };
    }
    case 'failing': {
      const failing = await onDatabase(state, {}, nowMs);
      const { prisma } = failing.service;
      // Admission does not use them.
      prisma.read = () => Promise.reject(new Error('unforeseen'));
      prisma.write = () => Promise.reject(new Error('unforeseen'));
      return failing;
    }
    case 'future':
      return await onDatabase(state, {}, REMOVED_AT_MS);
    case 'ordinary': {
      const ordinary = await onDatabase(state, {}, nowMs);
      const release = await useIdempotencyKeys(ordinary);
      const close = async (): Promise<void> => {
        await ordinary.close();
        await release();
      };
      return { ...ordinary, close };
    }
  }
}

/** Sends the first request of each key that is reused, and locks the one of a request in progress, as another replica does. */
async function useIdempotencyKeys({ service, keys }: ServiceInState): Promise<() => Promise<void>> {
  for (const requestOf of Object.values(REQUESTS)) {
    const { method, target, headers, body = '' } = requestOf(keys);
    if (method !== 'POST') continue;
    const key = { 'idempotency-key': reusedKey({ target }) };
    await service.fetch(target, { method, headers: { ...headers, ...key }, body });
  }
  const holder = new Client({ connectionString: service.databaseUrl });
  // Its database is removed before it ends.
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, (select min(id) from api_keys)))', [
    KEY_IN_PROGRESS,
  ]);
  return () => holder.end();
}

async function onDatabase(
  state: ServiceState,
  environment: Record<string, string>,
  nowMs: number,
): Promise<ServiceInState> {
  const clock: Clock = { nowMs: () => nowMs };
  const service = await startService({
    ...{ clock, isWarmedUp: true },
    environment: { ADDRESS_LIMIT_PER_MINUTE: String(ADDRESS_LIMIT), ...environment },
  });
  const { pool } = service;
  const [good, expired, revoked, suspended, reading] = [
    await service.issueKey(),
    await service.issueKey(),
    await service.issueKey(),
    await service.issueKey(),
    await service.issueKey(),
  ];
  await pool.query(`update api_keys set expires_at = '2001-01-01' where id = $1`, [expired.id]);
  await pool.query(`update api_keys set revoked_at = '2001-01-01' where id = $1`, [revoked.id]);
  const until = new Date(nowMs + 3_600_000);
  await pool.query('update api_keys set suspended_until = $2 where id = $1', [suspended.id, until]);
  await pool.query(`update api_keys set access = 'read' where id = $1`, [reading.id]);
  await pool.query(RECORDS);
  return {
    state,
    service,
    keys: {
      ...MADE_UP_KEYS,
      good: good.key,
      expired: expired.key,
      revoked: revoked.key,
      suspended: suspended.key,
      reading: reading.key,
    },
    nowMs: () => nowMs,
    close: () => service.close(),
  };
}

async function useUpLimits(service: TestService): Promise<Pick<Keys, 'pastMinute' | 'pastDay' | 'banned'>> {
  const send = async (times: number, key?: string): Promise<void> => {
    for (let time = 0; time < times; time += 1) await service.fetch('/v1/pets?limit=1', key ? { key } : {});
  };
  const [{ key: pastMinute }, { key: pastDay }, { key: banned }] = [
    await service.issueKey({ perMinute: 1 }),
    await service.issueKey({ perDay: 1 }),
    await service.issueKey({ perMinute: 1 }),
  ];
  await send(1);
  await send(1, pastMinute);
  await send(1, pastDay);
  await send(1 + service.config.limits.banAfterRefusals, banned);
  return { pastMinute, pastDay, banned };
}

async function withoutDatabase(
  state: ServiceState,
  databaseUrl: string,
  nowMs: number,
  release: () => Promise<void> = () => Promise.resolve(),
): Promise<ServiceInState> {
  const environment = { ADDRESS_LIMIT_PER_MINUTE: String(ADDRESS_LIMIT) };
  const clock = { nowMs: () => nowMs };
  const service = await startService({
    ...{ environment, databaseUrl, clock },
    hasNoDatabase: true,
    provokes503: true,
  });
  const close = async (): Promise<void> => {
    await service.close();
    await release();
  };
  return { state, service, keys: MADE_UP_KEYS, nowMs: () => nowMs, close };
}

const wellFormed = (letter: string): string => {
  const body = `psk_${letter.repeat(32)}`;
  return body + checksumOf(body);
};

export const MADE_UP_KEYS: Keys = {
  good: wellFormed('G'),
  malformed: `${wellFormed('M').slice(0, -1)}-`,
  unknown: wellFormed('U'),
  expired: wellFormed('E'),
  revoked: wellFormed('R'),
  suspended: wellFormed('S'),
  reading: wellFormed('L'),
  pastMinute: wellFormed('P'),
  pastDay: wellFormed('D'),
  banned: wellFormed('B'),
};
