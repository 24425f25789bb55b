import { hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** 132 bits of SHA-256: enough that no two representations share a tag by chance. */
const LENGTH = 22;

/** The strong entity tag of a representation, from its bytes alone. */
export const etagOf = (bytes: string | Buffer): string =>
  `"${hash('sha256', bytes, 'base64url').slice(0, LENGTH)}"`;

/** SQL for the same tag, from SQL for the text: a write compares it while it holds the lock of the row. */
export const etagSql = (text: string): string => `etag_of(${text})`;

/** The condition of `If-Match`: any representation, or one of these tags. */
type IfMatch = '*' | readonly string[];

/** A tag, strong or weak. */
interface Tag {
  readonly tag: string;
  readonly isWeak: boolean;
}

/** An element of the list, which may be empty, and the comma or the end behind it (RFC 9110 sections 5.6.1 and 8.8.3). */
const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** The tags of a condition. A malformed value has none. */
function parseTags(header: string): readonly Tag[] {
  const tags: Tag[] = [];
  for (ELEMENT.lastIndex = 0; ELEMENT.lastIndex < header.length;) {
    const element = ELEMENT.exec(header);
    if (element === null) return [];
    const [, weak, tag] = element;
    if (tag !== undefined) tags.push({ tag, isWeak: weak !== undefined });
  }
  return tags;
}

/**
 * Parses `If-Match`. Weak tags are left out: the strong comparison of RFC 9110 section 13.1.1 matches none. A malformed value
 * matches nothing, too: a client that meant to make a condition must not change what it has not seen.
 */
export function parseIfMatch(header: string): IfMatch {
  if (header.trim() === '*') return '*';
  return parseTags(header).flatMap(({ tag, isWeak }) => (isWeak ? [] : [tag]));
}

export const isMatch = (condition: IfMatch, etag: string): boolean =>
  condition === '*' || condition.includes(etag);

/** The weak comparison that RFC 9110 section 13.1.2 demands of `If-None-Match`. A malformed value matches nothing. */
export const isNoneMatch = (header: string, etag: string): boolean =>
  header.trim() !== '*' && !parseTags(header).some(({ tag }) => tag === etag);

/**
 * The tags of which the record that a write changes must have one, to be compared under the lock of the row; undefined when any
 * will do. The `If-Match` of reads is evaluated with their response.
 */
export const RequestIfMatch = createParamDecorator(
  (_data: unknown, context: ExecutionContext): readonly string[] | undefined => {
    const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
    const condition = header === undefined ? '*' : parseIfMatch(header);
    return condition === '*' ? undefined : condition;
  },
);
