import type { PrismaService } from '../../src/prisma/prisma.service.js';
import { sendRawOnce } from '../support/raw-http.js';
import { holdOpen } from '../support/operators.js';
import { startService, type TestService } from '../support/service.js';

/** A request as it is sent. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends no more than this many characters. */
  readonly cutAt?: number;
  /** Whose answer is wanted; without it that of the ordinary service. */
  readonly service?: TestService;
}

/** What came back, with all that is wrong with it by the document. */
export interface Outcome {
  readonly status: number;
  /** The code of an error. */
  readonly code: string | undefined;
  readonly faults: readonly string[];
}

/** Services in every state that an answer depends on, and keys of every sort. */
export interface Stage {
  readonly ordinary: TestService;
  /** A request has a second to arrive. */
  readonly impatient: TestService;
  /** Its time is the end of what is deprecated now. */
  readonly future: TestService;
  /** Each of its statements fails in a way that nobody foresaw. */
  readonly broken: TestService;
  /** Nobody listens where its database should be. */
  readonly cutOff: TestService;
  readonly keys: Readonly<Record<'good' | 'expired' | 'revoked' | 'usedUp' | 'suspended', string>>;
  /** An animal that nobody has ordered. */
  nextPetId(): number;
  send(request: Request): Promise<Outcome>;
  close(): Promise<void>;
}

/** A claim that another replica holds. */
export const HELD_CLAIM = 'held';

const PETS = 100;

const ROOMY = { ADDRESS_LIMIT_PER_MINUTE: '1000000' };

/** Nothing ever listens on the port of tcpmux. */
const NOBODY = 'postgresql://petstore@127.0.0.1:1/petstore';

export async function setStage(): Promise<Stage> {
  const nowMs = Date.now();
  // Its clock stands still, so that a limit that is used up stays so.
  const ordinary = await startService({ environment: ROOMY, clock: { nowMs: () => nowMs } });
  const { databaseUrl } = ordinary;
  const others = await Promise.all([
    startService({ databaseUrl, environment: { ...ROOMY, REQUEST_TIMEOUT_MS: '1000' } }),
    startService({ databaseUrl, environment: ROOMY, clock: { nowMs: () => Date.UTC(2030, 11, 5) } }),
    startService({ databaseUrl, environment: ROOMY }),
    startService({ databaseUrl: NOBODY, environment: ROOMY }),
  ]);
  const [impatient, future, broken, cutOff] = others;
  breakStatements(broken.prisma);

  await addAnimalsAndOrders(ordinary);
  const { keys, goodId } = await issueKeys(ordinary, nowMs);
  const holdClaim = 'select pg_advisory_xact_lock(hashtextextended($1, $2))';
  const holder = await holdOpen(ordinary.databaseUrl, holdClaim, [HELD_CLAIM, goodId]);

  let lastPetId = 2;
  return {
    ...{ ordinary, impatient, future, broken, cutOff, keys },
    nextPetId: () => {
      lastPetId += 1;
      if (lastPetId > PETS) throw new Error('there are no more animals: add some to the stage');
      return lastPetId;
    },
    send: (request) => send(request.service ?? ordinary, request),
    close: async () => {
      await holder.stop();
      await Promise.all(others.map((service) => service.close()));
      await ordinary.close();
    },
  };
}

/** Only admission is left as it is: it sends its statements itself. */
function breakStatements(prisma: PrismaService): void {
  prisma.read = () => Promise.reject(new Error('nobody foresaw this'));
  prisma.write = () => Promise.reject(new Error('nobody foresaw this'));
}

/** The animals 1 and 2 are ordered: the order 1 is placed, the order 2 delivered. */
async function addAnimalsAndOrders({ pool }: TestService): Promise<void> {
  await pool.query(
    `insert into pets (name, category_id, status) select 'Pet ' || n, n, 'available' from generate_series(1, $1) as n`,
    [PETS],
  );
  await pool.query('insert into orders (pet_id) values (1)');
  await pool.query('insert into orders (pet_id) values (2)');
  await pool.query(`update orders set status = 'approved' where id = 2`);
  await pool.query(`update orders set status = 'delivered' where id = 2`);
}

async function issueKeys(
  service: TestService,
  nowMs: number,
): Promise<{ keys: Stage['keys']; goodId: bigint }> {
  const [good, expired, revoked, usedUp, suspended] = [
    await service.issueKey(),
    await service.issueKey(),
    await service.issueKey(),
    await service.issueKey({ perMinute: 1 }),
    await service.issueKey(),
  ];
  const { pool } = service;
  await pool.query(`update api_keys set expires_at = '2001-01-01' where id = $1`, [expired.id]);
  await pool.query(`update api_keys set revoked_at = '2001-01-01' where id = $1`, [revoked.id]);
  const until = new Date(nowMs + 3_600_000);
  await pool.query('update api_keys set suspended_until = $2 where id = $1', [suspended.id, until]);
  await service.fetch('/v1/pets?limit=1', { key: usedUp.key });
  return {
    goodId: good.id,
    keys: {
      good: good.key,
      expired: expired.key,
      revoked: revoked.key,
      usedUp: usedUp.key,
      suspended: suspended.key,
    },
  };
}

async function send(service: TestService, request: Request): Promise<Outcome> {
  const { method, target } = request;
  const answer = await sendRawOnce(service.port, bytesOf(request), { isHead: method === 'HEAD' });
  const headers = [...answer.headers].map(([name, values]): [string, string] => [name, values.join(', ')]);
  const faults = service.conformance.faults({ ...answer, method, target, headers });
  const hasCode = answer.status >= 400 && method !== 'HEAD';
  const code = hasCode ? (JSON.parse(answer.body) as { code: string }).code : undefined;
  return { status: answer.status, code, faults };
}

function bytesOf({ method, target, headers, body, cutAt }: Request): string {
  const lines = Object.entries({
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`.slice(0, cutAt);
}
