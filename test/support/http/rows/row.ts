import type { ErrorCode } from '../../../../src/errors/error-codes.js';
import { bearer, JSON_TYPE, lengthOf, request } from '../request-bytes.js';
import type { Keys, ServiceState } from '../service-states.js';
import type { Limit } from '../sound-response.js';

export type Bytes = (keys: Keys) => string | Buffer;

/** A request, and the response that the contract promises. */
export interface Row {
  readonly name: string;
  readonly bytes: Bytes;
  readonly status: number;
  /** Absent for a success. */
  readonly code?: ErrorCode;
  /** The limit that the headers describe, and that is charged. */
  readonly limit: Limit;
  /** No limit is charged. */
  readonly isFree?: true;
  /** The exact value of `Allow`. */
  readonly allow?: string;
  readonly connection?: 'close' | 'keep-alive';
  /** So many good requests come before it in the same bytes, each with its response. */
  readonly after?: number;
  /** The body, sent when "100 Continue" has come. It must not come otherwise. */
  readonly bodyOnContinue?: string;
  readonly isHead?: true;
  /** The error comes as problem details. */
  readonly isProblem?: true;
  /** The state of the service; `ordinary` unless given. */
  readonly state?: ServiceState;
}

export const PROBLEM = 'application/problem+json';

export type Further = Partial<Omit<Row, 'name'>>;

/** Rows with some members in common, by their names. */
export const rows = (
  common: Omit<Row, 'name' | 'bytes'>,
  table: Readonly<Record<string, Bytes | (Further & Pick<Row, 'bytes'>)>>,
): Row[] =>
  Object.entries(table).map(([name, row]) =>
    Object.assign({ name }, common, typeof row === 'function' ? { bytes: row } : row),
  );

export const error = (status: number, code: ErrorCode, limit: Limit = 'key') => ({ status, code, limit });
export const BAD_TYPE = error(415, 'unsupported_media_type');
export const MALFORMED = error(400, 'malformed_request');

export const send = (line: string, key: string, body: string, ...headers: readonly string[]): string =>
  request(line, [bearer(key), JSON_TYPE, ...headers, lengthOf(body)], body);
export const CONNECT = 'CONNECT petstore.example:443';
export const BYTES_MAX = 65_536;
export const HALF_BODY = JSON.stringify({ name: 'x'.repeat(1000), categoryId: 7 }).slice(0, 500);

export const asHead = (bytes: Bytes) => ({ bytes, isHead: true as const });
