import { Call } from './call.js';
import { InvalidInputError } from './error.js';
import { digitsOf, type Int64, type Int64Like, type Int64Types, isInt64, writeJson } from './int64.js';
import { List, pageOf, queryOf } from './list.js';
import {
  type CallOptions,
  listWith,
  objectWith,
  type Request,
  Transport,
  type TransportOptions,
} from './transport.js';
import {
  type Category,
  type CategoryFilter,
  type ChangeOptions,
  type CreateOptions,
  type Cursor,
  type Inventory,
  type NewCategory,
  type NewPet,
  type Order,
  type OrderFilter,
  type Page,
  type Pet,
  type PetChange,
  type PetFilter,
  type PutOptions,
  type Read,
  type Reading,
  type ReadOptions,
  type Usage,
} from './types.js';

export interface PetStoreOptions<Mode extends Int64 = 'string'> extends TransportOptions {
  /** The type of 64-bit integers in results; `string` by default. With `number`, one beyond 2^53 is a `RangeError`. */
  readonly int64?: Mode | undefined;
}

/**
 * The client of the Pet Store Service, with a method for each operation. A failed call rejects with a `PetStoreError`, with the reason
 * of an aborted `signal`, or with an `InvalidInputError` for arguments that cannot be sent.
 */
export class PetStore<Mode extends Int64 = 'string', Id = Int64Types[Mode]> {
  readonly #transport: Transport;

  /** @throws TypeError without a base URL or an API key */
  constructor({ int64, ...options }: PetStoreOptions<Mode>) {
    this.#transport = new Transport(options, int64 ?? 'string');
  }

  /** Returns one page of pets, ordered by `id`. */
  listPets<Tag = undefined>(options: PetFilter & Cursor & Reading<Tag> = {}): Call<Read<Page<Pet<Id>>, Tag>> {
    const { id, status, categoryId, sort, limit, cursor, ...call } = options;
    return this.#list('/pets', { id, status, categoryId, sort, limit, cursor }, call);
  }

  /** Iterates over the pets that pass the filters, by item or by page, ordered by `id`. */
  pets(options: PetFilter = {}): List<Pet<Id>> {
    return new List((cursor) => this.listPets({ ...options, cursor }));
  }

  /** Adds a pet and returns it with its `id`. */
  createPet(pet: NewPet, options: CreateOptions = {}): Call<Pet<Id>> {
    return this.#create('/pets', pet, options);
  }

  /** Returns a pet, or undefined if there is none with this `id`. The `etag` of the response is the pet's, for `ifMatch`. */
  findPet<Tag = undefined>(id: Int64Like, options: Reading<Tag> = {}): Call<Read<Pet<Id> | undefined, Tag>> {
    return this.#read(() => listOf(`/pets?id=${digitsOf('id', id)}`, ([pet]) => pet), options);
  }

  /** @deprecated From 2030-12-05 on it fails with `operation_removed`. Use `findPet(id)` instead. */
  getPet<Tag = undefined>(id: Int64Like, options: Reading<Tag> = {}): Call<Read<Pet<Id>, Tag>> {
    return this.#read(() => getOf(`/pets/${digitsOf('id', id)}`), options);
  }

  /**
   * Changes the given members of a pet and returns it. Fails with `pet_has_open_order` for the status of a pet that is ordered, and
   * with `precondition_failed` if the pet has changed since `ifMatch`.
   */
  changePet(id: Int64Like, change: PetChange, options: ChangeOptions = {}): Call<Pet<Id>> {
    return this.#change('PATCH', () => `/pets/${digitsOf('id', id)}`, change, options);
  }

  /**
   * Deletes a pet and its cancelled orders. Fails with `pet_has_open_order` if it is ordered, with `pet_is_sold` if it was delivered,
   * and with `precondition_failed` if the pet has changed since `ifMatch`.
   */
  deletePet(id: Int64Like, options: ChangeOptions = {}): Call<void> {
    return this.#change('DELETE', () => `/pets/${digitsOf('id', id)}`, undefined, options);
  }

  /** Returns one page of categories, ordered by `id`. */
  listCategories<Tag = undefined>(
    options: CategoryFilter & Cursor & Reading<Tag> = {},
  ): Call<Read<Page<Category<Id>>, Tag>> {
    const { name, sort, limit, cursor, ...call } = options;
    return this.#list('/categories', { name, sort, limit, cursor }, call);
  }

  /** Iterates over all categories, by item or by page, ordered by `id`. */
  categories(options: CategoryFilter = {}): List<Category<Id>> {
    return new List((cursor) => this.listCategories({ ...options, cursor }));
  }

  /** Adds a category and returns it with its `id`. Fails with `category_exists` if another has the name. */
  createCategory(category: NewCategory, options: CreateOptions = {}): Call<Category<Id>> {
    return this.#create('/categories', category, options);
  }

  /** Returns a category. Fails with `category_not_found` if there is none. */
  getCategory<Tag = undefined>(id: Int64Like, options: Reading<Tag> = {}): Call<Read<Category<Id>, Tag>> {
    return this.#read(() => getOf(`/categories/${digitsOf('id', id)}`), options);
  }

  /**
   * Creates or renames the category with this number, and returns it. Fails with `category_exists` if another has the name,
   * and with `precondition_failed` if `ifMatch` or `ifNoneMatch` does not hold.
   */
  putCategory(id: Int64Like, category: NewCategory, options: PutOptions = {}): Call<Category<Id>> {
    return this.#change('PUT', () => `/categories/${digitsOf('id', id)}`, category, options);
  }

  /** Deletes a category. Fails with `category_in_use` while a pet refers to it. */
  deleteCategory(id: Int64Like, options: ChangeOptions = {}): Call<void> {
    return this.#change('DELETE', () => `/categories/${digitsOf('id', id)}`, undefined, options);
  }

  /** Returns one page of orders, ordered by `id`. */
  listOrders<Tag = undefined>(
    options: OrderFilter & Cursor & Reading<Tag> = {},
  ): Call<Read<Page<Order<Id>>, Tag>> {
    const { status, petId, sort, limit, cursor, ...call } = options;
    return this.#list('/store/orders', { status, petId, sort, limit, cursor }, call);
  }

  /** Iterates over all orders, or those that pass the filters, by item or by page, ordered by `id`. */
  orders(options: OrderFilter = {}): List<Order<Id>> {
    return new List((cursor) => this.listOrders({ ...options, cursor }));
  }

  /** Orders a pet. Fails with `unknown_pet` if it does not exist, and with `pet_not_available` if it cannot be ordered. */
  placeOrder(petId: Int64Like, options: CreateOptions = {}): Call<Order<Id>> {
    return this.#create('/store/orders', { petId }, options);
  }

  /** Returns an order. */
  getOrder<Tag = undefined>(id: Int64Like, options: Reading<Tag> = {}): Call<Read<Order<Id>, Tag>> {
    return this.#read(() => getOf(`/store/orders/${digitsOf('id', id)}`), options);
  }

  /**
   * Changes the status of an order to `approved`, `delivered` or `cancelled`. Fails with `order_transition_not_allowed` if the order
   * cannot take it, and with `precondition_failed` if the order has changed since `ifMatch`.
   */
  changeOrder(id: Int64Like, status: Order['status'], options: ChangeOptions = {}): Call<Order<Id>> {
    return this.#change('PATCH', () => `/store/orders/${digitsOf('id', id)}`, { status }, options);
  }

  /** Returns the number of pets by status. */
  inventory<Tag = undefined>(options: Reading<Tag> = {}): Call<Read<Inventory, Tag>> {
    return this.#read(() => ({ ...getOf('/store/inventory', 'available'), toValue: countsOf }), options);
  }

  /** Returns the plan, limits and usage of the API key. */
  usage<Tag = undefined>(options: Reading<Tag> = {}): Call<Read<Usage, Tag>> {
    return this.#read(() => getOf('/usage', 'plan'), options);
  }

  #list<Value>(path: string, query: Parameters<typeof queryOf>[0], options: ReadOptions): Call<Value> {
    return this.#read(() => listOf(`${path}${queryOf(query)}`, pageOf), options);
  }

  #read<Value>(requestOf: () => Request, { ifMatch, ifNoneMatch, ...call }: ReadOptions): Call<Value> {
    const headers = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch };
    return this.#send(() => ({ ...requestOf(), headers }), call);
  }

  #create<Value>(path: string, body: object, { idempotencyKey, ...call }: CreateOptions): Call<Value> {
    return this.#send(() => {
      const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() };
      return { method: 'POST', path, headers, body: writeJson(body), accepts: objectWith('id') };
    }, call);
  }

  #change<Value>(
    method: 'PUT' | 'PATCH' | 'DELETE',
    pathOf: () => string,
    members: object | undefined,
    options: PutOptions,
  ): Call<Value> {
    const { ifMatch, ifNoneMatch, ...call } = options;
    return this.#send(() => {
      // Without its tag, the change would be unconditional.
      if ('ifMatch' in options && ifMatch === undefined)
        throw new InvalidInputError('ifMatch', 'is undefined: the response had no ETag.');
      const body = members && { body: writeJson(members) };
      const accepts = method === 'DELETE' ? (value: unknown) => value === undefined : objectWith('id');
      return {
        method,
        path: pathOf(),
        headers: { 'if-match': ifMatch, 'if-none-match': ifNoneMatch },
        ...body,
        accepts,
      };
    }, call);
  }

  /** Builds the request inside the promise, so that an invalid argument rejects it. */
  #send<Value>(requestOf: () => Request, options: CallOptions): Call<Value> {
    const send = async () => await this.#transport.send<Value>(requestOf(), options);
    return new Call(send());
  }
}

/** The request for an object with a member by which it is recognised. */
const getOf = (path: string, member = 'id'): Request => ({
  method: 'GET',
  path,
  accepts: objectWith(member),
});

/** The request for a list, whose items the client converts. */
const listOf = (
  path: string,
  toValue: (items: readonly unknown[], headers: Headers) => unknown,
): Request => ({
  method: 'GET',
  path,
  accepts: listWith('id'),
  toValue: (items, headers) => toValue(items as readonly unknown[], headers),
});

/** Counts are numbers, whatever the type of identifiers. Unknown members of a later release are unchanged. */
const countsOf = (counts: unknown): unknown =>
  Object.fromEntries(
    Object.entries(counts as object).map(([name, count]: [string, unknown]) => [
      name,
      isInt64(name) ? countOf(name, count) : count,
    ]),
  );

function countOf(name: string, given: unknown): number {
  const count = Number(given);
  if (Number.isSafeInteger(count)) return count;
  throw new RangeError(`${name} is ${String(given)}, which no number holds.`);
}
