import type { Kind } from '../kind.js';
import { BODIES } from './bodies.js';
import { BYTES } from './bytes.js';
import { CREDENTIALS } from './credentials.js';
import { DOCUMENTS } from './documents.js';
import { LIMITS } from './limits.js';
import { OPERATIONS } from './operations.js';
import { ROUTES } from './routes.js';
import { STORE } from './store.js';
import { TROUBLES } from './troubles.js';

/** Every kind of request that the service has an answer for. */
export const KINDS: readonly Kind[] = [
  ...OPERATIONS,
  ...STORE,
  ...DOCUMENTS,
  ...CREDENTIALS,
  ...ROUTES,
  ...BODIES,
  ...BYTES,
  ...LIMITS,
  ...TROUBLES,
];
