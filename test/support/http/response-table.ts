import { OPERATIONS } from '../document.js';
import { BODIES } from './rows/bodies.js';
import { BYTES } from './rows/bytes.js';
import { FAILURES } from './rows/failures.js';
import { rowsOf } from './rows/operations.js';
import { CONDITIONS, CREDENTIALS, LIMITED, ROUTES } from './rows/rejections.js';
import type { Row } from './rows/row.js';
import { SUCCESSES } from './rows/successes.js';
import type { ServiceState } from './service-states.js';

/** Every kind of request that the service has a response for. */
export const RESPONSE_TABLE: readonly Row[] = [
  ...[
    SUCCESSES,
    CREDENTIALS,
    LIMITED,
    ROUTES,
    CONDITIONS,
    OPERATIONS.flatMap(rowsOf),
    BODIES,
    BYTES,
    FAILURES,
  ].flat(),
];

export const rowsIn = (state: ServiceState): readonly (readonly [name: string, row: Row])[] =>
  RESPONSE_TABLE.filter((row) => (row.state ?? 'ordinary') === state).map((row) => [labelOf(row), row]);

export const labelOf = ({ status, code, name }: Row): string => `${[status, code].join(' ').trim()}: ${name}`;
