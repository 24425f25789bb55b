import type { components } from './generated/schema.js';

type Schemas = components['schemas'];

/** An animal. `id` and `categoryId` are `bigint`: they cover all of int64, which a number does not. */
export type Pet = Readonly<Schemas['Pet']>;
export type NewPet = Readonly<Schemas['NewPet']>;
export type PetStatus = Schemas['PetStatus'];

/**
 * An order for one animal. Its times are RFC 3339 text in UTC, as they came: they sort as text, survive `JSON.stringify`
 * and a state store unchanged, and `new Date(order.placedAt)` is one call away.
 */
export type Order = Readonly<Schemas['Order']>;
export type OrderStatus = Schemas['OrderStatus'];

export type Inventory = Readonly<Schemas['Inventory']>;
export type Usage = Readonly<Schemas['Usage']>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page; absent on the last. It belongs to the filter it came with. */
  readonly next?: string;
}

export interface CallOptions {
  /** Ends the call, also while it waits to try again; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** A name of your own for this creation, so that it happens once even over restarts; a random one by default. */
  readonly idempotencyKey?: string | undefined;
}

export interface IterateOptions<Status> extends CallOptions {
  readonly status?: Status | undefined;
  /** The length of the pages that are fetched, 1 to 100. */
  readonly limit?: number | undefined;
}

export interface ListOptions<Status> extends IterateOptions<Status> {
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}
