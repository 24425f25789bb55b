import type { PetStatus } from '../../src/pets/pet.js';
import type { OrderStatus } from '../../src/store/order.js';
import type { TestService } from './service.js';

/** An order as the service writes it, with small identifiers. */
export interface OrderAnswer {
  readonly id: number;
  readonly petId: number;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly updatedAt: string;
}

/** Adds animals and returns their identifiers. */
export async function addPets(
  { pool }: TestService,
  count: number,
  status: PetStatus | null = 'available',
): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ id: bigint }>(
    `insert into pets (name, category_id, status) select 'Pet', 1, $2 from generate_series(1, $1) returning id`,
    [count, status],
  );
  return rows.map(({ id }) => id);
}

/** Adds an animal and returns its identifier. */
export async function addPet(service: TestService, status: PetStatus | null = 'available'): Promise<bigint> {
  const [id] = await addPets(service, 1, status);
  if (id === undefined) throw new Error('no animal was added');
  return id;
}

export async function petStatus({ pool }: TestService, id: bigint): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ status: string | null }>('select status from pets where id = $1', [id]);
  return rows[0]?.status;
}

const JSON_BODY = { 'content-type': 'application/json' };

export const postOrder = (service: TestService, key: string, body: string): Promise<Response> =>
  service.fetch('/v1/store/orders', { method: 'POST', key, body, headers: JSON_BODY });

export const placeOrder = (service: TestService, key: string, petId: bigint): Promise<Response> =>
  postOrder(service, key, `{"petId":${petId}}`);

export const patchOrder = (
  service: TestService,
  key: string,
  orderId: bigint | number | string,
  body: string,
): Promise<Response> =>
  service.fetch(`/v1/store/orders/${orderId}`, { method: 'PATCH', key, body, headers: JSON_BODY });

export const changeOrder = (
  service: TestService,
  key: string,
  orderId: bigint | number | string,
  status: OrderStatus,
): Promise<Response> => patchOrder(service, key, orderId, `{"status":"${status}"}`);

/** An order of a new animal, brought to a status by the service. */
export async function orderInStatus(
  service: TestService,
  key: string,
  status: OrderStatus,
): Promise<OrderAnswer> {
  const placed = await placeOrder(service, key, await addPet(service));
  if (placed.status !== 201) throw new Error(`placing: ${placed.status} ${await placed.text()}`);
  let order = (await placed.json()) as OrderAnswer;
  for (const step of STEPS_TO[status]) {
    const response = await changeOrder(service, key, order.id, step);
    if (response.status !== 200) throw new Error(`${step}: ${response.status} ${await response.text()}`);
    order = (await response.json()) as OrderAnswer;
  }
  return order;
}

const STEPS_TO: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: [],
  approved: ['approved'],
  delivered: ['approved', 'delivered'],
  cancelled: ['cancelled'],
};
