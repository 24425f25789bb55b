import type { components } from './generated/schema.js';
import type { Int64Like } from './int64.js';
import type { CallOptions } from './transport.js';

type Schemas = components['schemas'];

declare const later: unique symbol;

/** An enum value added by a later release: it can be compared and sent back, but no literal matches it. */
export type LaterWord = string & { readonly [later]: true };

/** An enum, open for values of later releases. */
type Open<Word extends string> = string extends Word ? string : Word | LaterWord;

/** A schema in results: with 64-bit integers as `Id`, and enums open for values of later releases. */
type Received<Schema, Id> = {
  readonly [Name in keyof Schema]: Schema[Name] extends bigint | undefined
    ? Id | Extract<Schema[Name], undefined>
    : Schema[Name] extends string | undefined
      ? Open<NonNullable<Schema[Name]>> | Extract<Schema[Name], undefined>
      : Schema[Name];
};

/** A schema as it is sent: 64-bit integers may be strings, bigints or numbers, and enums are open. */
type Sent<Schema> = {
  readonly [Name in keyof Schema]:
    | (NonNullable<Schema[Name]> extends bigint
        ? Int64Like
        : NonNullable<Schema[Name]> extends string
          ? Open<NonNullable<Schema[Name]>>
          : Schema[Name])
    | (undefined extends Schema[Name] ? undefined : never);
};

/** A pet. */
export type Pet<Id = string> = Received<Schemas['Pet'], Id>;
export type NewPet = Sent<Schemas['NewPet']>;
/** The members to change. Absent members stay as they are. */
export type PetChange = Sent<Schemas['PetChange']>;
export type PetStatus = Schemas['PetStatus'];
export const PET_STATUSES = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[];

/** The name of a category. */
export type Category<Id = string> = Received<Schemas['Category'], Id>;
export type NewCategory = Sent<Schemas['NewCategory']>;

/** An order for one pet. Its times are RFC 3339 strings in UTC: for a `Date`, use `new Date(order.placedAt)`. */
export type Order<Id = string> = Received<Schemas['Order'], Id>;
export type OrderStatus = Schemas['OrderStatus'];
export const ORDER_STATUSES = [
  ...['placed', 'approved', 'delivered', 'cancelled'],
] as const satisfies readonly OrderStatus[];

/** The number of pets by status. */
export type Inventory = { readonly [Status in keyof Schemas['Inventory']]: number };
export type Usage = Readonly<Schemas['Usage']>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `cursor` of the next page; absent on the last page. It is valid only with the same filters and `sort`. */
  readonly next?: string;
}

export interface ReadOptions extends CallOptions {
  /** The `etag` of your copy: if it is still current, the call resolves to `NOT_MODIFIED`, and no body is sent. */
  readonly ifNoneMatch?: string | undefined;
  /** The `etag` that you expect: if it is not current, the call fails with `precondition_failed`. */
  readonly ifMatch?: string | undefined;
}

/** What a read resolves to when `ifNoneMatch` holds. It is the same in every copy of this package. */
export const NOT_MODIFIED: unique symbol = Symbol.for('petstore.not-modified');

/**
 * Options of a read, with the type of their `ifNoneMatch`. It has no constraint, so that it is `unknown` where a method is not called, as in
 * `ReturnType`: the value is then the plain one.
 */
export type Reading<Tag> = ReadOptions & { readonly ifNoneMatch?: Tag };

/** The value of a read with this type of `ifNoneMatch`. */
export type Read<Value, Tag> = Tag extends string ? Value | typeof NOT_MODIFIED : Value;

export interface CreateOptions extends CallOptions {
  /** Your own `Idempotency-Key`, so that the resource is created only once, even if your program restarts; random by default. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /**
   * The `etag` of the representation that you know: if it is not current, the call fails with `precondition_failed`. An
   * explicit `undefined`, such as the `etag` of a response without one, is invalid input.
   */
  readonly ifMatch?: string | undefined;
  /** An `etag`: if it is current, the call fails with `precondition_failed`. `*` matches any, so that a PUT only adds. */
  readonly ifNoneMatch?: string | undefined;
}

export type PutOptions = ChangeOptions;

/** The options of every list besides filters. */
export interface ListOptions extends CallOptions {
  /** Ascending by `id` (the default), or descending by `-id`. */
  readonly sort?: 'id' | '-id' | undefined;
  /** The number of items on each page, 1 to 100. */
  readonly limit?: number | undefined;
}

/** The filters of pets: a pet passes all that are given. */
export interface PetFilter extends ListOptions {
  /** One of these identifiers, up to 100. An empty array is invalid input. */
  readonly id?: Int64Like | readonly Int64Like[] | undefined;
  /** One of these statuses. An empty array is invalid input. */
  readonly status?: Open<PetStatus> | readonly Open<PetStatus>[] | undefined;
  readonly categoryId?: Int64Like | undefined;
}

export interface CategoryFilter extends ListOptions {
  /** The name, ignoring ASCII case. */
  readonly name?: string | undefined;
}

/** The filters of orders: an order passes all that are given. */
export interface OrderFilter extends ListOptions {
  /** One of these statuses. An empty array is invalid input. */
  readonly status?: Open<OrderStatus> | readonly Open<OrderStatus>[] | undefined;
  readonly petId?: Int64Like | undefined;
}

export interface Cursor {
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}
