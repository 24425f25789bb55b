export { Call, type RateLimit, type ResponseInfo, type Result } from './call.js';
export {
  type CallError,
  type ErrorCode,
  type FieldError,
  InvalidInputError,
  isPetStoreError,
  PetStoreError,
  type ServiceErrorCode,
} from './error.js';
export type { Int64, Int64Like } from './int64.js';
export { List } from './list.js';
export { PetStore, type PetStoreOptions } from './pet-store.js';
export type { RetryEvent, RetryOptions } from './retry.js';
export type { CallOptions } from './transport.js';
export * from './types.js';
