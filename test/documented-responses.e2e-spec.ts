import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { parse } from 'yaml';
import { ERROR_CODES, type ErrorCode } from '../src/errors/error-codes.js';
import {
  bytesOf,
  KEY_IN_PROGRESS,
  ERROR_REQUESTS,
  type ErrorRequest,
  REQUESTS,
  type RequestParts,
  reusedKey,
  unchanged,
  withHeaders,
} from './support/http/operation-requests.js';
import { type ServiceInState, type ServiceState, startInState } from './support/http/service-states.js';
import { sendRaw } from './support/wire.js';

const DOCUMENT_COPY = readFileSync('docs/openapi.yaml', 'utf8');

interface Documented {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly examples?: object } };
}

const document = parse(DOCUMENT_COPY) as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Documented> }>>;
  components: { responses: Record<string, Documented> };
};

/** The operations of the checked-in document, with the codes of each error status. */
const OPERATIONS = Object.values(document.paths).flatMap((item) =>
  Object.entries(item).map(([method, { operationId: id, responses }]) => {
    const codes = Object.entries(responses).flatMap(([status, response]) => {
      const { content } = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
      const examples = Object.keys(content?.['application/json'].examples ?? {}) as ErrorCode[];
      return examples.map((code) => ({ status: Number(status), code }));
    });
    const successStatus = Number(Object.keys(responses).find((status) => status.startsWith('2')));
    return { id, isRead: method === 'get', successStatus, codes };
  }),
);

const STATES = ['ordinary', 'limited', 'impatient', 'future', 'failing', 'no database'] as const;

const services = new Map<ServiceState, ServiceInState>();
/** A second passes until a request is given up, so all of them wait at the same time. */
const SLOW = ['request_timeout', 'service_unavailable'] as const;
const PROBLEM = 'application/problem+json';

const slow = new Map<string, Promise<Outcome>>();
let holder: Client;

beforeAll(async () => {
  for (const state of STATES) services.set(state, await startInState(state));
  const { service, keys } = inState('ordinary');
  const { rows } = await service.pool.query<{ id: bigint }>('select min(id) as id from api_keys');
  // As another replica locks the key of a request in progress.
  holder = new Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [
    KEY_IN_PROGRESS,
    rows[0]?.id,
  ]);
  for (const { id } of OPERATIONS.filter(({ codes }) =>
    codes.some(({ code }) => code === 'idempotency_key_reused'),
  )) {
    const first = REQUESTS[id]?.(keys) as RequestParts;
    await send(id, { change: (request) => withHeaders(request, { 'Idempotency-Key': reusedKey(first) }) });
  }
  for (const { id } of OPERATIONS) {
    for (const code of SLOW) {
      slow.set(`${id} ${code}`, send(id, ERROR_REQUESTS[code]));
      slow.set(`${id} ${code} ${PROBLEM}`, send(id, asProblem(code)));
    }
  }
});
afterAll(async () => {
  await holder.end();
  for (const running of services.values()) await running.close();
});

const inState = (state: ServiceState): ServiceInState => services.get(state) as ServiceInState;

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly isProblem: boolean;
  /** Differences from the document. */
  readonly faults: readonly string[];
}

/** Sends a request of an operation, and checks the response against the document. */
async function send(
  id: string,
  { change, state = 'ordinary' }: ErrorRequest,
  further: Partial<RequestParts> = {},
): Promise<Outcome> {
  const { service, keys } = inState(state);
  const request = { ...change(REQUESTS[id]?.(keys) as RequestParts, keys), ...further };
  const { method, target } = request;
  const response = await sendRaw(service.port, bytesOf(request), { isHead: method === 'HEAD' });
  const headers = [...response.headers].map(([name, values]): [string, string] => [name, values.join(', ')]);
  const faults = service.conformance.faults({ ...response, method, target, headers });
  const hasCode = response.status >= 400 && method !== 'HEAD';
  const code = hasCode ? (JSON.parse(response.body) as { code: string }).code : undefined;
  const isProblem = response.headers.get('content-type')?.[0]?.startsWith(PROBLEM) === true;
  return { status: response.status, code, isProblem, faults };
}

/** The same error for a client that prefers problem details. */
const asProblem = (code: ErrorCode): ErrorRequest => ({
  ...ERROR_REQUESTS[code],
  change: (request, keys) => withHeaders(ERROR_REQUESTS[code].change(request, keys), { Accept: PROBLEM }),
});

/** Whether the end of the headers does not come, so that the service knows none of them. */
const isWithoutHeaders = (code: ErrorCode, { body }: RequestParts): boolean =>
  code === 'headers_too_large' || (code === 'request_timeout' && body === undefined);

const WITHOUT_CODE = { code: undefined, isProblem: false, faults: [] };

const unchangedRequest: ErrorRequest = { change: unchanged };
const good: ErrorRequest = { change: (request) => request };

describe('the document', () => {
  it('has each operation that an error code is of', () => {
    const named = Object.values<{ readonly status: number; readonly operations?: readonly string[] }>(
      ERROR_CODES,
    ).flatMap(({ operations = [] }) => operations);
    const known = new Set(OPERATIONS.map(({ id }) => id));
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  it('is the checked-in copy, to the byte, where the plans cannot be read', async () => {
    const served = await inState('no database').service.fetch('/openapi.yaml');
    expect(await served.text()).toBe(DOCUMENT_COPY);
  });
});

describe.each(OPERATIONS)('$id', ({ id, isRead, successStatus, codes }) => {
  it(`${successStatus} as documented`, async () => {
    expect(await send(id, good)).toEqual({ status: successStatus, ...WITHOUT_CODE });
  });

  it.each(codes)('$status $code as documented', async ({ status, code }) => {
    expect(await (slow.get(`${id} ${code}`) ?? send(id, ERROR_REQUESTS[code]))).toEqual({
      status,
      code,
      isProblem: false,
      faults: [],
    });
  });

  it.each(codes)('$status $code as documented, with problem details', async ({ status, code }) => {
    const isProblem = !isWithoutHeaders(code, REQUESTS[id]?.(inState('ordinary').keys) as RequestParts);
    expect(await (slow.get(`${id} ${code} ${PROBLEM}`) ?? send(id, asProblem(code)))).toEqual({
      status,
      code,
      isProblem,
      faults: [],
    });
  });

  if (!isRead) return;

  it('304 as documented', async () => {
    expect(await send(id, unchangedRequest)).toEqual({ status: 304, ...WITHOUT_CODE });
  });

  it.each<[number, ErrorRequest]>([
    [200, good],
    [304, unchangedRequest],
    [401, ERROR_REQUESTS.invalid_api_key],
    [412, ERROR_REQUESTS.precondition_failed],
    [403, ERROR_REQUESTS.api_key_suspended],
    [500, ERROR_REQUESTS.internal_error],
  ])('%d of HEAD as documented', async (status, errorRequest) => {
    const outcome = await send(id, errorRequest, { method: 'HEAD' });
    expect(outcome).toEqual({ status, ...WITHOUT_CODE });
  });
});
