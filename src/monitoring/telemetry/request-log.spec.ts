import { expect, it } from '@jest/globals';
import { isLogged } from './request-log.js';

it.each([
  ['all', [200, 404, 499, 500, 501, 503]],
  ['errors', [500, 501, 503]],
  ['off', [500]],
] as const)('LOG_REQUESTS=%s logs the statuses %j', (logRequests, expected) => {
  const statuses = [200, 404, 499, 500, 501, 503];
  expect(statuses.filter((status) => isLogged({ logRequests }, status))).toEqual(expected);
});
