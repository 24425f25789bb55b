import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decode, encodedKey } from './support/encoded-keys.js';
import { type OtlpCollector, startCollector } from './support/otlp-collector.js';
import { sendRaw } from './support/wire.js';
import { type RunningService, runService } from './support/running-service.js';
import { cases } from './support/cases.js';

let collector: OtlpCollector;
let service: RunningService;

beforeAll(async () => {
  collector = await startCollector();
  service = await runService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    ADDRESS_LIMIT_PER_MINUTE: '1000000',
  });
});
afterAll(async () => {
  await service.close();
  await collector.close();
});

const HEADERS = [
  'User-Agent',
  'Referer',
  'Origin',
  'X-Request-Id',
  'X-Forwarded-For',
  'Forwarded',
  'traceparent',
  'tracestate',
  'baggage',
  'If-None-Match',
  'Access-Control-Request-Method',
  'Cookie',
];

const targetWith = (key: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    `/v1/pets/${key}`,
    `/v1/${key}`,
    `/${key}?${key}`,
    `/v1/pets?limit=1&key=${key}`,
    `/v1/pets?status=${key}`,
    `/v1/pets?cursor=${key}`,
    `/v1/%zz/${key}`,
    `/v1/%C3/${key}`,
    `/v1/store/orders/%25${key}?a=%`,
    `http://a/v1/pets/${key}`,
  );

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly isKeyless: boolean;
}

const request = (plainKey: string): fc.Arbitrary<Sent> =>
  encodedKey(plainKey).chain((key) =>
    fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'),
      target: targetWith(key),
      headers: fc.subarray(HEADERS).map((names) => names.map((name) => `${name}: ${key}`)),
      isKeyless: fc.boolean(),
    }),
  );

it('an API key in any encoding reaches no response header, log line or span', async () => {
  const secret = service.key.slice(4);
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(request(service.key), async ({ method, target, headers, isKeyless }) => {
      const authorization = isKeyless ? [] : [`Authorization: Bearer ${service.key}`];
      const lines = [`${method} ${target} HTTP/1.1`, 'Host: a', ...authorization, ...headers];
      const response = await sendRaw(service.port, `${lines.join('\r\n')}\r\n\r\n`, {
        isHead: method === 'HEAD',
      });
      sent += 1;
      for (const values of response.headers.values()) {
        for (const value of values) expect(decode(value)).not.toContain(secret);
      }
    }),
    { numRuns: cases(200) },
  );

  // The stop writes the last log lines and sends the last spans.
  service.program.child.kill('SIGTERM');
  expect(await service.program.ended).toBe(0);
  expect(service.requests()).toHaveLength(sent);
  expect(decode(service.program.output.stderr)).not.toContain(secret);
  expect(collector.spans.length).toBeGreaterThanOrEqual(sent);
  const spans = JSON.stringify(collector.spans);
  expect(decode(spans)).not.toContain(secret);
  for (const output of [service.program.output.stderr, spans]) expect(output).toContain('psk_***');
});
