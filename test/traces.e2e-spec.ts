import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type CollectedSpan, type OtlpCollector, startCollector } from './support/otlp-collector.js';
import { type RunningService, runService } from './support/running-service.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/**
 * Tells at the end of a process what of OpenTelemetry it had loaded, but for the interface without a function, which
 * prom-client brings along for its exemplars.
 */
const PRINT_LOADED = `--import=data:text/javascript,${encodeURIComponent(`
  import Module from 'node:module';
  const loaded = () => Object.keys(Module._cache).filter((file) => /@opentelemetry.(?!api\\/)/.test(file));
  process.on('exit', () => process.stdout.write('loaded: ' + loaded().length + '\\n'));
`)}`;

let collector: OtlpCollector;
let service: RunningService;

beforeAll(async () => {
  collector = await startCollector();
  service = await runService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
});
afterAll(async () => {
  await service.close();
  await collector.close();
});

const send = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.origin}${path}`, { headers: { authorization: `Bearer ${service.key}`, ...headers } });

const spanOf = (requestId: string): Promise<CollectedSpan> =>
  eventually(() => {
    const found = collector.spans.find(({ attributes }) => attributes['petstore.request_id'] === requestId);
    if (found === undefined) throw new Error('no such span yet');
    return found;
  });

const below = ({ spanId }: CollectedSpan): CollectedSpan[] =>
  collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

describe('with a collector', () => {
  it('a request is a span of its trace, with the queries of its batches below it', async () => {
    await send('/v1/pets?limit=1', {
      'x-request-id': 'first',
      traceparent: `00-${TRACE}-${PARENT}-01`,
    });
    const span = await spanOf('first');
    expect(span).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      name: 'GET /v1/pets',
      kind: SERVER,
      resource: { 'service.name': 'shop', 'deployment.environment.name': 'test' },
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'http.route': '/v1/pets',
        'url.path': '/v1/pets',
        'url.query': 'limit=1',
        'petstore.operation': 'listPets',
        'petstore.plan': 'business',
        'client.address': '127.0.0.1',
      },
    });
    const querys = below(span);
    expect(querys.map(({ name }) => name).sort()).toEqual(['admission', 'list_pets']);
    for (const query of querys) {
      expect(query).toMatchObject({ traceId: TRACE, kind: CLIENT });
      expect(query.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'petstore.batch.size': 1 });
      expect(BigInt(query.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(query.endTimeUnixNano));
    }
    await eventually(() => {
      const line = service.requests().find(({ requestId }) => requestId === 'first');
      expect(line).toMatchObject({ traceId: TRACE });
    });
  });

  it('a method that clients make up is no name of a span', async () => {
    await fetch(`${service.origin}/v1/pets`, {
      method: 'PROPFIND',
      headers: { authorization: `Bearer ${service.key}`, 'x-request-id': 'made-up' },
    });
    expect(await spanOf('made-up')).toMatchObject({
      name: 'HTTP',
      attributes: { 'http.request.method': '_OTHER', 'http.request.method_original': 'PROPFIND' },
    });
  });

  it('a span has no key, even if the caller put it into the query', async () => {
    await send(`/v1/pets?key=${service.key}`, { 'x-request-id': 'key-in-query' });
    expect((await spanOf('key-in-query')).attributes).toMatchObject({ 'url.query': 'key=psk_***' });
    expect(JSON.stringify(collector.spans)).not.toContain(service.key);
  });

  it('queries of concurrent requests each belong to their own request', async () => {
    const ids = Array.from({ length: 20 }, (_, place) => `together-${place}`);
    await Promise.all(ids.map((id, place) => send(`/v1/store/orders/${place + 1}`, { 'x-request-id': id })));
    for (const id of ids) {
      const span = await spanOf(id);
      expect(span.parentSpanId ?? '').toBe('');
      expect(
        below(span)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['admission', 'find_orders']);
    }
  });

  it("the caller's decision not to keep its trace holds", async () => {
    await send('/v1/pets', { 'x-request-id': 'not-kept', traceparent: `00-${TRACE}-${PARENT}-00` });
    await send('/v1/pets', { 'x-request-id': 'kept' });
    await spanOf('kept');
    expect(collector.spans.some(({ attributes }) => attributes['petstore.request_id'] === 'not-kept')).toBe(
      false,
    );
  });

  it('a trace that begins here leads to its line in the log', async () => {
    await send('/v1/pets/x', { 'x-request-id': 'begins-here' });
    const { traceId, status } = await spanOf('begins-here');
    expect(status.code).not.toBe(ERROR);
    await eventually(() => {
      const line = service.requests().find(({ requestId }) => requestId === 'begins-here');
      expect(line).toMatchObject({ traceId, status: 404 });
    });
  });
});

describe('sampling', () => {
  it('at ratio 0 drops traces that begin here but keeps sampled callers; a stop sends the rest', async () => {
    const some = await runService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    });
    const authorization = `Bearer ${some.key}`;
    await fetch(`${some.origin}/v1/pets`, { headers: { authorization, 'x-request-id': 'dropped' } });
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    await fetch(`${some.origin}/v1/pets`, {
      headers: { authorization, traceparent, 'x-request-id': 'kept-by-caller' },
    });
    some.program.child.kill('SIGTERM');
    expect(await some.program.ended).toBe(0);
    await spanOf('kept-by-caller');
    expect(collector.spans.some(({ attributes }) => attributes['petstore.request_id'] === 'dropped')).toBe(
      false,
    );
    await some.close();
  });
});

describe('a collector that is away', () => {
  it('delays neither requests nor the stop', async () => {
    // No program listens on port 1.
    const lonely = await runService({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_BSP_SCHEDULE_DELAY: '10',
      NODE_OPTIONS: PRINT_LOADED,
    });
    const authorization = `Bearer ${lonely.key}`;
    for (let sent = 0; sent < 20; sent += 1) {
      const response = await fetch(`${lonely.origin}/v1/pets`, { headers: { authorization } });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    await eventually(() => expect(lonely.program.output.stderr).toContain('"msg":"traces: '));
    lonely.program.child.kill('SIGTERM');
    expect(await lonely.program.ended).toBe(0);
    // Else the test below would prove nothing.
    expect(lonely.program.output.stdout).toMatch(/^loaded: [1-9]/m);
    await lonely.close();
  });
});

describe('without a collector', () => {
  it('nothing of OpenTelemetry is loaded', async () => {
    const other = await runService({ NODE_OPTIONS: PRINT_LOADED });
    await fetch(`${other.origin}/v1/pets`, { headers: { authorization: `Bearer ${other.key}` } });
    other.program.child.kill('SIGTERM');
    expect(await other.program.ended).toBe(0);
    expect(other.program.output.stdout).toMatch(/^loaded: 0$/m);
    await other.close();
  });
});
