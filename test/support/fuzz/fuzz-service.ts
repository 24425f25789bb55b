import { ERROR_CODES } from '../../../src/errors/error-codes.js';
import { OPERATIONS } from '../document.js';
import { startService, type TestService } from '../service.js';
import { openTestPool } from '../test-pool.js';
import { sendRaw, type WireResponse } from '../wire.js';

export interface Request {
  readonly method: string;
  /** `{fresh}` and `{cursor}` stand for values that only the service can give out. */
  readonly target: string;
  /** Without `Host`, `Authorization` and `Content-Length`, which are added unless they are here. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** Sends no key. */
  readonly isKeyless?: boolean;
}

interface Outcome {
  readonly status: number;
  /** The errors of the response. */
  readonly faults: readonly string[];
}

export interface FuzzService {
  send(request: Request): Promise<Outcome>;
  close(): Promise<void>;
}

/** The orders that one statement adds, each of which locks its pet. */
const CHUNK = 1000;

/** Starts a service with an available pet, a category and a placed order for each request that can succeed with one only once. */
export async function startFuzzService(cases: number): Promise<FuzzService> {
  const service = await startService({ environment: { ADDRESS_LIMIT_PER_MINUTE: '1000000' } });
  const { key } = await service.issueKey();
  // Each names one record at most.
  const records = Math.ceil(cases / CHUNK) * CHUNK;
  await addRecords(service, records);
  const cursors = await cursorsOf(service, key);
  let lastId = 0;
  return {
    send: async (template) => {
      if (isFresh(template)) lastId = (lastId % records) + 1;
      const request = fillIn(template, String(lastId), cursors);
      const { method, target } = request;
      const response = await sendRaw(service.port, bytesOf(key, request), { isHead: method === 'HEAD' });
      const headers = [...response.headers].map(([name, values]): [string, string] => [
        name,
        values.join(', '),
      ]);
      const faults = service.conformance.faults({ ...response, method, target, headers });
      return { status: response.status, faults: [...faults, ...generalFaults(response, method === 'HEAD')] };
    },
    close: () => service.close(),
  };
}

/** No pet uses the categories up to `records`. The pets up to it are available, and those beyond it ordered by the orders up to `records`. */
async function addRecords({ databaseUrl }: TestService, records: number): Promise<void> {
  const pool = openTestPool(databaseUrl, { max: 1 });
  await pool.query(
    `insert into pets (name, category_id, status) select 'Pet', -n, 'available' from generate_series(1, $1) as n`,
    [2 * records],
  );
  await pool.query(
    `insert into categories (name) select 'Category ' || n from generate_series(1, $1::int) as n`,
    [records],
  );
  for (let done = 0; done < records; done += CHUNK) {
    const [from, to] = [records + done + 1, records + done + CHUNK];
    await pool.query('insert into orders (pet_id) select generate_series($1::int8, $2::int8)', [from, to]);
  }
  await pool.end();
}

/** A cursor of some lists that have a second page, by their path and filter. */
async function cursorsOf(service: TestService, key: string): Promise<ReadonlyMap<string, string>> {
  const cursors = new Map<string, string>();
  const lists = OPERATIONS.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));
  const filtered = [
    ...['/v1/pets?status=available&', '/v1/pets?status=pending&', '/v1/pets?sort=-id&'],
    '/v1/store/orders?status=placed&',
  ];
  for (const list of [...lists.map(({ path }) => `${path}?`), ...filtered]) {
    const response = await service.fetch(`${list}limit=1`, { key });
    const [, cursor] = /cursor=([\w-]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
    if (cursor === undefined) throw new Error(`${list} has no second page`);
    cursors.set(list, cursor);
  }
  return cursors;
}

/** Whether it names a record that no request has named before. */
const isFresh = ({ target, body }: Request): boolean =>
  target.includes('{fresh}') || body?.includes('{fresh}') === true;

function fillIn(request: Request, id: string, cursors: ReadonlyMap<string, string>): Request {
  const { target, body } = request;
  const [path = '', query = ''] = target.split('?');
  const filter = query.split('&').filter((one) => one !== '' && !/^(?:limit|cursor)=/.test(one));
  const cursor = cursors.get(`${path}?${filter.map((one) => `${one}&`).join('')}`);
  return {
    ...request,
    target: target
      .replace('{fresh}', id)
      .replace(cursor === undefined ? /&?cursor=\{cursor\}/ : '{cursor}', cursor ?? ''),
    ...(body !== undefined && {
      body: Buffer.from(body.toString('latin1').replace('{fresh}', id), 'latin1'),
    }),
  };
}

const STATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'];

/** The promises of every response, also where there is no operation. */
function generalFaults({ status, headers, body }: WireResponse, isHead: boolean): readonly string[] {
  const faults = [...STATE_HEADERS, 'ratelimit-policy']
    .filter((name) => headers.get(name)?.length !== 1)
    .map((name) => `${name} is not there once`);
  if (status >= 500) faults.push(`${status} is an error of the service`);
  if (status < 400 || isHead) return faults;
  const { code, message, ...others } = JSON.parse(body) as Record<string, unknown>;
  const known = new Map<unknown, { readonly status: number }>(Object.entries(ERROR_CODES)).get(code);
  const isError =
    headers.get('content-type')?.[0]?.startsWith('application/json') === true &&
    known?.status === status &&
    typeof message === 'string' &&
    JSON.stringify(others) === JSON.stringify({ status });
  return isError ? faults : [...faults, `no Error body of the status ${status}: ${body}`];
}

/** Headers are Latin-1 on the wire; the body is sent as it is. */
function bytesOf(key: string, { method, target, headers, body, isKeyless }: Request): Buffer {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const added = [
    ['Host', 'petstore.example'],
    ...(isKeyless === true ? [] : [['Authorization', `Bearer ${key}`]]),
    ...(body === undefined || given.has('transfer-encoding')
      ? []
      : [['Content-Length', String(body.length)]]),
  ].filter(([name = '']) => !given.has(name.toLowerCase()));
  const lines = [...added, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return Buffer.concat([head, body ?? Buffer.alloc(0)]);
}
