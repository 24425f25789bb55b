export { PetStore, type PetStoreOptions } from './pet-store.js';
export { type ErrorCode, PetStoreError, type RateLimit, type ServiceErrorCode } from './error.js';
export type { RetryOptions } from './retry.js';
export type {
  CallOptions,
  CreateOptions,
  Inventory,
  IterateOptions,
  ListOptions,
  NewPet,
  Order,
  OrderStatus,
  Page,
  Pet,
  PetChange,
  PetStatus,
  Usage,
} from './types.js';
