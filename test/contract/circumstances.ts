import { type AddressInfo, createServer, type Socket } from 'node:net';
import { checksumOf } from '../../src/auth/api-key.js';
import type { Clock } from '../../src/common/clock.js';
import { startService, type TestService } from '../support/service.js';

/**
 * What a service can be in when a request comes:
 *
 * - `ordinary`: nothing is wrong
 * - `used up`: the client address and some keys are past their limits, and the clock stands still
 * - `impatient`: a request has a second to arrive
 * - `no database`: nobody listens where the database should be
 * - `silent database`: something accepts connections there and never says a word
 */
export type Circumstance = 'ordinary' | 'used up' | 'impatient' | 'no database' | 'silent database';

/** One key of each sort. What a sort needs a database for exists only where there is one. */
export interface Keys {
  readonly good: string;
  /** Its form or checksum is wrong. */
  readonly malformed: string;
  /** Well-formed, but nobody issued it. */
  readonly unknown: string;
  readonly expired: string;
  readonly revoked: string;
  /** Suspended by an operator. */
  readonly suspended: string;
  /** Past its limit of this minute or day, or banned for going on; on a service that is `used up`. */
  readonly pastMinute: string;
  readonly pastDay: string;
  readonly banned: string;
}

export interface Stage {
  readonly circumstance: Circumstance;
  readonly service: TestService;
  readonly keys: Keys;
  /** The clock that the service goes by, in ms. */
  readonly nowMs: () => number;
  close(): Promise<void>;
}

const ROOMY = { ADDRESS_LIMIT_PER_MINUTE: '1000000' };

/** The animal 1 has no status, 2 is available. The order 1 is placed, the order 2 cancelled. */
const ANIMALS_AND_ORDERS = `
  insert into pets (name, category_id, status)
  values ('Rex', 7, null), ('Ada', 7, 'available'), ('Bo', 7, 'available'), ('Cleo', 7, 'available');
  insert into orders (pet_id) values (3), (4);
  update orders set status = 'cancelled' where id = 2`;

/** Nothing ever listens on the port of tcpmux. */
const NOBODY = 'postgresql://petstore@127.0.0.1:1/petstore';

export async function setStage(circumstance: Circumstance): Promise<Stage> {
  switch (circumstance) {
    case 'ordinary':
      return await onDatabase(circumstance, ROOMY);
    case 'impatient':
      return await onDatabase(circumstance, { ...ROOMY, REQUEST_TIMEOUT_MS: '1000' });
    case 'used up': {
      const stage = await onDatabase(circumstance, { ADDRESS_LIMIT_PER_MINUTE: '1' }, stoppedClock());
      return { ...stage, keys: { ...stage.keys, ...(await useUp(stage.service)) } };
    }
    case 'no database':
      return await withoutDatabase(circumstance, NOBODY, () => undefined);
    case 'silent database': {
      const { port, close } = await listenSilently();
      return await withoutDatabase(circumstance, `postgresql://petstore@127.0.0.1:${port}/petstore`, close);
    }
  }
}

/** A clock that stands still, so that no window turns while somebody counts. */
export function stoppedClock(atMs: number = Date.now()): Clock {
  return { nowMs: () => atMs };
}

export async function onDatabase(
  circumstance: Circumstance,
  environment: Record<string, string>,
  clock?: Clock,
): Promise<Stage> {
  const service = await startService({ environment, ...(clock && { clock }) });
  const issue = async (): Promise<{ id: bigint; key: string }> => await service.issueKey();
  const [good, expired, revoked, suspended] = [await issue(), await issue(), await issue(), await issue()];
  const { pool } = service;
  await pool.query(`update api_keys set expires_at = '2001-01-01' where id = $1`, [expired.id]);
  await pool.query(`update api_keys set revoked_at = '2001-01-01' where id = $1`, [revoked.id]);
  await pool.query(ANIMALS_AND_ORDERS);
  const until = new Date((clock?.nowMs() ?? Date.now()) + 3_600_000);
  await pool.query('update api_keys set suspended_until = $2 where id = $1', [suspended.id, until]);
  const keys = { good: good.key, expired: expired.key, revoked: revoked.key, suspended: suspended.key };
  return {
    circumstance,
    service,
    keys: { ...MADE_UP_KEYS, ...keys },
    nowMs: () => clock?.nowMs() ?? Date.now(),
    close: () => service.close(),
  };
}

async function useUp(service: TestService): Promise<Pick<Keys, 'pastMinute' | 'pastDay' | 'banned'>> {
  const ask = async (times: number, key?: string): Promise<void> => {
    for (let time = 0; time < times; time += 1) await service.fetch('/v1/pets?limit=1', key ? { key } : {});
  };
  const [{ key: pastMinute }, { key: pastDay }, { key: banned }] = [
    await service.issueKey({ perMinute: 1 }),
    await service.issueKey({ perDay: 1 }),
    await service.issueKey({ perMinute: 1 }),
  ];
  await ask(1);
  await ask(1, pastMinute);
  await ask(1, pastDay);
  await ask(1 + service.config.limits.banAfterRefusals, banned);
  return { pastMinute, pastDay, banned };
}

async function withoutDatabase(
  circumstance: Circumstance,
  databaseUrl: string,
  release: () => void,
): Promise<Stage> {
  const service = await startService({ environment: ROOMY, databaseUrl });
  const close = async (): Promise<void> => {
    await service.close();
    release();
  };
  return { circumstance, service, keys: MADE_UP_KEYS, nowMs: Date.now, close };
}

const wellFormed = (letter: string): string => {
  const body = `psk_${letter.repeat(32)}`;
  return body + checksumOf(body);
};

/** Where nobody has issued a key, each is as unknown as the other. */
export const MADE_UP_KEYS: Keys = {
  good: wellFormed('G'),
  malformed: `${wellFormed('M').slice(0, -1)}-`,
  unknown: wellFormed('U'),
  expired: wellFormed('E'),
  revoked: wellFormed('R'),
  suspended: wellFormed('S'),
  pastMinute: wellFormed('P'),
  pastDay: wellFormed('D'),
  banned: wellFormed('B'),
};

async function listenSilently(): Promise<{ readonly port: number; readonly close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, close };
}
