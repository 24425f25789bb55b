import type { components } from './generated/schema.js';

type Schemas = components['schemas'];

/** A pet. `id` and `categoryId` are `bigint`, because a `number` cannot hold every int64. */
export type Pet = Readonly<Schemas['Pet']>;
export type NewPet = Readonly<Schemas['NewPet']>;
export type PetChange = Readonly<Schemas['PetChange']>;
export type PetStatus = Schemas['PetStatus'];

/**
 * An order for one pet. Its times are RFC 3339 strings in UTC, as received: they sort as text and survive `JSON.stringify` and
 * state stores. For a `Date`, use `new Date(order.placedAt)`.
 */
export type Order = Readonly<Schemas['Order']>;
export type OrderStatus = Schemas['OrderStatus'];

export type Inventory = Readonly<Schemas['Inventory']>;
export type Usage = Readonly<Schemas['Usage']>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page; absent on the last page. It is valid only with the same filter. */
  readonly next?: string;
}

export interface CallOptions {
  /** Aborts the call, also while it waits to retry. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Your own `Idempotency-Key`, so that the resource is created only once, even if your program restarts; random by default. */
  readonly idempotencyKey?: string | undefined;
}

export interface IterateOptions<Status> extends CallOptions {
  readonly status?: Status | undefined;
  /** The number of items in each fetched page, 1 to 100. */
  readonly limit?: number | undefined;
}

export interface ListOptions<Status> extends IterateOptions<Status> {
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}
