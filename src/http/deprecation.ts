import { ApiError } from '../errors/api-error.js';
import type { Headers } from './headers.js';
import type { PublicUrl } from './public-url.js';

/** An operation that goes away: since when that is known, when it happens, and what to use instead. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly removedAt: Date;
  /** Path of the operation that replaces it. */
  readonly successor: string;
  /** Path of the page that explains it. */
  readonly documentation: string;
}

/** The headers of RFC 9745 (`Deprecation`) and RFC 8594 (`Sunset`) with their links. */
export function deprecationHeaders(deprecation: Deprecation, publicUrl: PublicUrl): Headers {
  const { deprecatedAt, removedAt, successor, documentation } = deprecation;
  const links = [
    `<${publicUrl.to(documentation)}>; rel="deprecation"`,
    `<${publicUrl.to(documentation)}>; rel="sunset"`,
    `<${publicUrl.to(successor)}>; rel="successor-version"`,
  ];
  return {
    deprecation: `@${deprecatedAt.getTime() / 1000}`,
    sunset: removedAt.toUTCString(),
    link: links.join(', '),
  };
}

/** @throws ApiError operation_removed from the removal instant on */
export function assertNotRemoved(deprecation: Deprecation, nowMs: number): void {
  if (nowMs < deprecation.removedAt.getTime()) return;
  throw new ApiError(
    'operation_removed',
    `This operation was removed on ${deprecation.removedAt.toISOString().slice(0, 10)}: use ${deprecation.successor}.`,
  );
}
