import { expect } from '@jest/globals';
import { Connection, only, type WireResponse } from '../wire.js';
import { get } from './request-bytes.js';
import type { Row } from './rows/row.js';
import type { ServiceInState } from './service-states.js';
import { expectSound } from './sound-response.js';

/** Sends the request of a row, checks all responses that follow, the last one against the document too, and returns that. */
export async function expectRow(
  connection: Connection,
  { bytes, after = 0, ...row }: Row,
  { service, keys, nowMs }: ServiceInState,
  { skipBytes = 0 } = {},
): Promise<WireResponse> {
  const { status, code, limit, isHead, isProblem, bodyOnContinue } = row;
  const sentAtMs = nowMs();
  const before = Buffer.from(get('/v1/pets', keys.good).repeat(after));
  const request = Buffer.from(bytes(keys));
  connection.send(Buffer.concat([before, request]).subarray(skipBytes));
  for (let good = 0; good < after; good += 1) {
    expectSound(await connection.response(), { status: 200, limit: 'key', sentAtMs });
  }
  if (bodyOnContinue !== undefined) {
    expect((await connection.response()).status).toBe(100);
    connection.send(bodyOnContinue);
  }
  const response = await connection.response({ isHead });
  expectSound(response, { status, code, limit, isHead, isProblem, sentAtMs });
  const [, method = '', target = ''] = /^(\w+) (\S*)/.exec(request.toString('latin1')) ?? [];
  const headers = [...response.headers].map(([name, values]): [string, string] => [name, values.join(', ')]);
  expect(service.conformance.faults({ ...response, method, target, headers })).toEqual([]);
  if (row.allow !== undefined) expect(only(response, 'allow')).toBe(row.allow);
  if (row.connection !== undefined) expect(only(response, 'connection')).toBe(row.connection);
  return response;
}
