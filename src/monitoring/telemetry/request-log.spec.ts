import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestLog } from './request-log.js';

it.each([
  ['all', 'info 200, info 404, info 499, error 500, error 501, error 503'],
  ['errors', 'error 500, error 501, error 503'],
  // 500 is a defect of the service.
  ['off', 'error 500'],
] as const)('LOG_REQUESTS=%s logs %s', (logRequests, expected) => {
  const lines: string[] = [];
  const line = (level: string) => (fields: object) =>
    lines.push(`${level} ${(fields as { status: number }).status}`);
  const log = new RequestLog({ logRequests }, { info: line('info'), error: line('error') } as never);
  const request = {
    decision: null,
    url: '/v1/pets',
    headers: {},
    routeConfig: {},
  } as unknown as FastifyRequest;
  for (const statusCode of [200, 404, 499, 500, 501, 503])
    log.responded(request, { statusCode, elapsedTime: 1, raw: {} } as FastifyReply);
  expect(lines.join(', ')).toBe(expected);
});
