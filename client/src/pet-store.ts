import { writeExact } from './exact-json.js';
import { everyItem, pageOf, queryOf } from './page.js';
import { Transport, type TransportOptions } from './transport.js';
import type {
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

export type PetStoreOptions = TransportOptions;

/** The client of the Pet Store Service, with a method for each operation. Failed calls reject with a `PetStoreError`, or with the reason of an aborted `signal`. */
export class PetStore {
  readonly #transport: Transport;

  constructor(options: PetStoreOptions) {
    this.#transport = new Transport(options);
  }

  /** Returns one page of pets, ordered by `id`. */
  async listPets(options: ListOptions<PetStatus> = {}): Promise<Page<Pet>> {
    return this.#list('/pets', options);
  }

  /** Iterates over all pets, or all pets with a status, ordered by `id`. */
  pets(options: IterateOptions<PetStatus> = {}): AsyncGenerator<Pet, void, undefined> {
    return everyItem((cursor) => this.listPets({ ...options, cursor }));
  }

  /** Adds a pet and returns it with its `id`. */
  async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
    return this.#create<Pet>('/pets', pet, options);
  }

  /** @deprecated From 2030-12-05 on it fails with `operation_removed`. Use `listPets` or `pets` instead. */
  async getPet(id: bigint, options: CallOptions = {}): Promise<Pet> {
    return this.#get<Pet>(`/pets/${id}`, options);
  }

  /** Changes the given members of a pet and returns it. Fails with `pet_has_open_order` for the status of a pet that is ordered. */
  async changePet(id: bigint, change: PetChange, options: CallOptions = {}): Promise<Pet> {
    return this.#change<Pet>(`/pets/${id}`, change, options);
  }

  /**
   * Deletes a pet and its cancelled orders. Fails with `pet_has_open_order` if it is ordered, and with `pet_is_sold` if it was
   * delivered.
   */
  async deletePet(id: bigint, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.send({ method: 'DELETE', path: `/pets/${id}`, signal });
  }

  /** Returns one page of orders, ordered by `id`. */
  async listOrders(options: ListOptions<OrderStatus> = {}): Promise<Page<Order>> {
    return this.#list('/store/orders', options);
  }

  /** Iterates over all orders, or all orders with a status, ordered by `id`. */
  orders(options: IterateOptions<OrderStatus> = {}): AsyncGenerator<Order, void, undefined> {
    return everyItem((cursor) => this.listOrders({ ...options, cursor }));
  }

  /** Orders a pet. Fails with `unknown_pet` if it does not exist, and with `pet_not_available` if it cannot be ordered. */
  async placeOrder(petId: bigint, options: CreateOptions = {}): Promise<Order> {
    return this.#create<Order>('/store/orders', { petId }, options);
  }

  /** Returns an order. */
  async getOrder(id: bigint, options: CallOptions = {}): Promise<Order> {
    return this.#get<Order>(`/store/orders/${id}`, options);
  }

  /** Changes the status of an order to `approved`, `delivered` or `cancelled`. */
  async changeOrder(id: bigint, status: OrderStatus, options: CallOptions = {}): Promise<Order> {
    return this.#change<Order>(`/store/orders/${id}`, { status }, options);
  }

  /** Returns the number of pets by status. */
  async inventory(options: CallOptions = {}): Promise<Inventory> {
    return this.#get<Inventory>('/store/inventory', options);
  }

  /** Returns the plan, limits and usage of the API key. */
  async usage(options: CallOptions = {}): Promise<Usage> {
    return this.#get<Usage>('/usage', options);
  }

  async #list<Item>(
    path: string,
    { signal, status, limit, cursor }: ListOptions<string>,
  ): Promise<Page<Item>> {
    const query = queryOf({ status, limit, cursor });
    return pageOf<Item>(await this.#transport.send({ method: 'GET', path: `${path}${query}`, signal }));
  }

  async #get<Value>(path: string, { signal }: CallOptions): Promise<Value> {
    return (await this.#transport.send({ method: 'GET', path, signal })).value as Value;
  }

  async #change<Value>(path: string, members: object, { signal }: CallOptions): Promise<Value> {
    const request = { method: 'PATCH', path, body: writeExact(members), signal } as const;
    return (await this.#transport.send(request)).value as Value;
  }

  async #create<Value>(
    path: string,
    body: object,
    { signal, idempotencyKey }: CreateOptions,
  ): Promise<Value> {
    const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() };
    const request = { method: 'POST', path, headers, body: writeExact(body), signal } as const;
    return (await this.#transport.send(request)).value as Value;
  }
}
