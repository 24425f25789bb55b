import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** 132 bits of SHA-256: enough that no two representations share a tag by chance. */
const LENGTH = 22;

/** The strong entity tag of a representation, from its bytes alone. */
export const etagOf = (bytes: string | Buffer): string =>
  `"${hash('sha256', bytes, 'base64url').slice(0, LENGTH)}"`;

/** A list element, which may be empty, and the comma or the end after it (RFC 9110 sections 5.6.1 and 8.8.3). */
const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/** The tags of a condition; `*` is any representation. A malformed value has none. */
function parseTags(header: string, withWeak: boolean): '*' | readonly string[] {
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  for (ELEMENT.lastIndex = 0; ELEMENT.lastIndex < header.length;) {
    const element = ELEMENT.exec(header);
    if (element === null) return [];
    const [, weak, tag] = element;
    if (tag !== undefined && (withWeak || weak === undefined)) tags.push(tag);
  }
  return tags;
}

/**
 * The tags of `If-Match`. Weak ones are left out: the strong comparison of RFC 9110 section 13.1.1 matches none. A malformed value
 * matches nothing, too: a client that sent a condition must not overwrite an unseen version.
 */
export const parseIfMatch = (header: string): '*' | readonly string[] => parseTags(header, false);

/** The tags of `If-None-Match`, for the weak comparison that RFC 9110 section 13.1.2 demands. A malformed value matches nothing. */
export const parseIfNoneMatch = (header: string): '*' | readonly string[] => parseTags(header, true);

/** Whether a representation has one of the tags of a condition. */
export const isMatch = (tags: '*' | readonly string[], etag: string): boolean =>
  tags === '*' || tags.includes(etag);

/** The conditions of a write, which SQL checks under the row lock: comma-separated tags. */
export interface Preconditions {
  /** The record must have one of them. `*` requires that there is a record, and null requires nothing. */
  readonly ifMatch: string | null;
  /** The record must have none of them; `*` matches every record. */
  readonly ifNoneMatch: string | null;
}

export const parsePreconditions = ({
  'if-match': ifMatch,
  'if-none-match': ifNoneMatch,
}: IncomingHttpHeaders): Preconditions => ({
  ifMatch: ifMatch === undefined ? null : tagsText(parseIfMatch(ifMatch)),
  ifNoneMatch: ifNoneMatch === undefined ? null : tagsText(parseIfNoneMatch(ifNoneMatch)),
});

const tagsText = (tags: '*' | readonly string[]): string => (tags === '*' ? tags : tags.join(','));

/** `Caching` evaluates the conditions of reads. */
export const RequestPreconditions = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Preconditions =>
    parsePreconditions(context.switchToHttp().getRequest<FastifyRequest>().headers),
);
