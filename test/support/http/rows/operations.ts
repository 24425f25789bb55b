import { ERROR_CODES, type ErrorCode } from '../../../../src/errors/error-codes.js';
import type { Operation } from '../../document.js';
import {
  bytesOf,
  ERROR_REQUESTS,
  type ErrorRequest,
  REQUESTS,
  type RequestParts,
  unchanged,
  withHeaders,
} from '../operation-requests.js';
import { type Bytes, type Row, PROBLEM, type Further } from './row.js';

const HEAD_CODES = ['invalid_api_key', 'precondition_failed', 'api_key_suspended', 'internal_error'] as const;

const FREE: ReadonlySet<ErrorCode> = new Set([
  'api_key_banned',
  'api_key_suspended',
  'rate_limit_exceeded',
  'service_unavailable',
]);

const GOOD: ErrorRequest = { change: (one) => one };

/** The responses that the document names of an operation, errors in both forms. */
export function rowsOf({ id, method, body, successStatus, codes }: Operation): readonly Row[] {
  const row = (name: string, status: number, { change, state }: ErrorRequest, further: Further = {}): Row => {
    const { isHead = false, isProblem = false } = further;
    const headers = { Origin: 'https://shop.example', ...(isProblem && { Accept: PROBLEM }) };
    const bytes: Bytes = (keys) => {
      const changed = withHeaders(change(REQUESTS[id]?.(keys) as RequestParts, keys), headers);
      return bytesOf(isHead ? { ...changed, method: 'HEAD' } : changed);
    };
    return { name: `${id}${name}`, bytes, status, limit: 'key', ...(state && { state }), ...further };
  };
  const failure = (name: string, code: ErrorCode, { isHead, isProblem }: Further = {}): Row => {
    const { status } = ERROR_CODES[code];
    // The end of the headers does not come, so that the service knows none of them.
    const isWithoutHeaders =
      code === 'headers_too_large' || (code === 'request_timeout' && body === undefined);
    const isOfAddress = status === 401 || code === 'service_unavailable' || isWithoutHeaders;
    return row(name, status, ERROR_REQUESTS[code], {
      ...{ code, limit: isOfAddress ? 'address' : 'key' },
      ...(FREE.has(code) && { isFree: true }),
      ...(isHead && { isHead }),
      ...(isProblem && !isWithoutHeaders && { isProblem }),
    });
  };
  const all = codes.flatMap((code) => [
    failure('', code),
    failure(', problem details', code, { isProblem: true }),
  ]);
  if (method !== 'GET') return [row('', successStatus, GOOD), ...all];
  return [
    ...[row('', 200, GOOD), row('', 304, { change: unchanged }), ...all],
    row(', HEAD', 200, GOOD, { isHead: true }),
    row(', HEAD', 304, { change: unchanged }, { isHead: true }),
    ...HEAD_CODES.map((code) => failure(', HEAD', code, { isHead: true })),
  ];
}
