import type { ErrorCode } from '../../src/common/errors/error-codes.js';
import type { Circumstance, Keys } from './circumstances.js';
import type { Described } from './sound-answer.js';

/** A kind of request, and what the contract says that it is answered. */
export interface Kind {
  readonly kind: string;
  readonly bytes: (keys: Keys) => string | Buffer;
  readonly status: number;
  /** Absent for a success. */
  readonly code?: ErrorCode;
  /** Whose limit the headers describe, and who is charged for it. */
  readonly limit: Described;
  /** Nobody is charged. */
  readonly free?: true;
  /** What `Allow` says, exactly. */
  readonly allow?: string;
  /** So many good requests go before it in the same bytes, each answered before it. */
  readonly after?: number;
  /** The body, sent when "100 Continue" has come. It must not come otherwise. */
  readonly bodyOnContinue?: string;
  readonly isHead?: true;
  /** Where it is asked; on an ordinary service unless it says otherwise. */
  readonly on?: Circumstance;
}

/** As it stands in the report of a test run: the answer first. */
export const nameOf = ({ status, code, kind }: Kind): string => `${[status, code].join(' ').trim()}: ${kind}`;
