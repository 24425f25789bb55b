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
  PetStatus,
  Usage,
} from './types.js';

export type PetStoreOptions = TransportOptions;

/** The Pet Store Service, one method for each operation. Every method rejects with a `PetStoreError`. */
export class PetStore {
  readonly #transport: Transport;

  constructor(options: PetStoreOptions) {
    this.#transport = new Transport(options);
  }

  /** One page of the animals, by ascending `id`. */
  async listPets(options: ListOptions<PetStatus> = {}): Promise<Page<Pet>> {
    return this.#list('/pets', options);
  }

  /** Every animal, or every one of a status: each that stays meanwhile comes exactly once. */
  pets(options: IterateOptions<PetStatus> = {}): AsyncGenerator<Pet, void, undefined> {
    return everyItem((cursor) => this.listPets({ ...options, cursor }));
  }

  async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
    return this.#create<Pet>('/pets', pet, options);
  }

  /** @deprecated The operation ends on 2030-12-05 with `operation_removed`; read animals from the list. */
  async getPet(id: bigint, options: CallOptions = {}): Promise<Pet> {
    return this.#get<Pet>(`/pets/${id}`, options);
  }

  /** One page of the orders, by ascending `id`. */
  async listOrders(options: ListOptions<OrderStatus> = {}): Promise<Page<Order>> {
    return this.#list('/store/orders', options);
  }

  /** Every order, or every one of a status. */
  orders(options: IterateOptions<OrderStatus> = {}): AsyncGenerator<Order, void, undefined> {
    return everyItem((cursor) => this.listOrders({ ...options, cursor }));
  }

  /** Orders an animal: `unknown_pet` when there is none, `pet_not_available` when another was faster. */
  async placeOrder(petId: bigint, options: CreateOptions = {}): Promise<Order> {
    return this.#create<Order>('/store/orders', { petId }, options);
  }

  async getOrder(id: bigint, options: CallOptions = {}): Promise<Order> {
    return this.#get<Order>(`/store/orders/${id}`, options);
  }

  /** Moves an order on: to `approved`, `delivered` or `cancelled`. */
  async changeOrder(id: bigint, status: OrderStatus, options: CallOptions = {}): Promise<Order> {
    const body = writeExact({ status });
    const request = { method: 'PATCH', path: `/store/orders/${id}`, body, signal: options.signal } as const;
    return (await this.#transport.send(request)).value as Order;
  }

  /** How many animals there are of each status. */
  async inventory(options: CallOptions = {}): Promise<Inventory> {
    return this.#get<Inventory>('/store/inventory', options);
  }

  /** What this key has used of its limits. */
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
