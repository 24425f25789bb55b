import { crc32 } from 'node:zlib';
import { ApiProperty } from '@nestjs/swagger';
import { ApiError, type Headers } from '../errors/api-error.js';
import { INT64_MAX, INT64_MIN } from '../database/int64.js';
import { JsonResponse } from '../http/json-response.js';
import { IsGivenOnce, IsIntegerFromTo, IsOneOf, MayBeAbsent } from '../http/validators.js';
import type { Page, PageRequest, Sort } from './lists.js';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const SORTS = { enum: ['id', '-id'] };

/** The query members of every list. */
export class PagingQuery {
  @ApiProperty({
    description: 'The maximum number of items on a page.',
    required: false,
    default: LIMIT_DEFAULT,
  })
  @IsIntegerFromTo(1, LIMIT_MAX)
  readonly limit: number = LIMIT_DEFAULT;

  @ApiProperty({
    description:
      'An opaque position in the list. Follow the `next` link in the `Link` header instead of building it yourself.',
  })
  @MayBeAbsent()
  @IsGivenOnce()
  readonly cursor?: string;

  @ApiProperty({
    description: '`id`: ascending, the oldest first. `-id`: descending.',
    required: false,
    default: 'id',
  })
  @IsOneOf(SORTS)
  readonly sort: Sort = 'id';
}

type Filter = string | bigint;

/** A page of a list: what is on it, and its links. */
export class Paging<Query extends PagingQuery> {
  /** The query, with the identifier at which the page starts: its lower bound, or its upper bound in a descending list. */
  readonly page: Query & PageRequest;
  readonly #limit: number;
  /** The list with its filters, without a page: cursors are bound to it. */
  readonly #list: string;

  /** @throws ApiError invalid_parameter when the cursor belongs to another list or filter */
  constructor(path: string, query: Query) {
    const { limit, cursor, sort, ...filters } = query;
    const isDescending = sort === '-id';
    const given: [name: string, value: Filter | readonly Filter[] | undefined][] = Object.entries(filters);
    // Deduplicated and sorted: a cursor stays valid if the client sends them in another order.
    const distinct = given.map(
      ([name, value]) => [name, isList(value) ? [...new Set(value)].sort(ascending) : value] as const,
    );
    const parts = [...distinct, ['sort', isDescending ? sort : undefined] as const].flatMap(
      ([name, value]) =>
        value === undefined ? [] : [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}&`),
    );
    this.#limit = limit;
    this.#list = `${path}?${parts.join('')}`;
    const start = isDescending ? INT64_MAX : INT64_MIN;
    const fromId = cursor === undefined ? start : decodeCursor(this.#list, cursor);
    if (fromId === undefined) {
      const detail = 'cursor must come from the Link header of this list, with the same filters and sort.';
      throw new ApiError('invalid_parameter', detail, { faults: [{ parameter: 'cursor', detail }] });
    }
    this.page = Object.assign({}, query, Object.fromEntries(distinct), { fromId });
  }

  /** The response with the page and the header `Link`: `next` unless it is the last one, and `first`. */
  respond({ json, nextId }: Page, headers: Headers = {}): JsonResponse {
    return new JsonResponse(json, (origin) => {
      const target = `${origin}${this.#list}limit=${this.#limit}`;
      const first = `<${target}>; rel="first"`;
      if (nextId === null) return { link: first, ...headers };
      const next = `<${target}&cursor=${encodeCursor(this.#list, nextId)}>; rel="next"`;
      return { link: `${next}, ${first}`, ...headers };
    });
  }
}

const isList = (value: unknown): value is readonly Filter[] => Array.isArray(value);

const ascending = (one: Filter, other: Filter): number => (one < other ? -1 : 1);

/** Changes with the layout below, so that an old cursor is rejected instead of misread. */
const CURSOR_VERSION = 1;

/** The version, the identifier that the page begins at, and a checksum of both and of their list. */
const CURSOR_LENGTH = 1 + 8 + 4;

/**
 * An opaque position in a list: base64url of the bytes above. The checksum binds it to its list and filter. It detects
 * mistakes, not attacks: a position needs no protection.
 */
export function encodeCursor(list: string, fromId: bigint): string {
  const bytes = Buffer.allocUnsafe(CURSOR_LENGTH);
  bytes.writeUInt8(CURSOR_VERSION, 0);
  bytes.writeBigInt64BE(fromId, 1);
  bytes.writeUInt32BE(checksum(list, bytes), 9);
  return bytes.toString('base64url');
}

/** The identifier that the page begins at, or undefined for a cursor that is not of this list. */
export function decodeCursor(list: string, cursor: string): bigint | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== CURSOR_LENGTH || bytes.readUInt8(0) !== CURSOR_VERSION) return undefined;
  // The decoder skips unknown characters; only a text that encodes to itself was issued.
  if (bytes.toString('base64url') !== cursor || bytes.readUInt32BE(9) !== checksum(list, bytes))
    return undefined;
  return bytes.readBigInt64BE(1);
}

const checksum = (list: string, bytes: Buffer): number => crc32(bytes.subarray(0, 9), crc32(list));
