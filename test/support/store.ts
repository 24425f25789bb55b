import type { PetStatus } from '../../src/pets/pets.dto.js';
import type { OrderStatus } from '../../src/store/orders.dto.js';
import type { TestService } from './service.js';
import type { ServiceInUse } from './use-service.js';

/** An order in a response, with small identifiers. */
export interface OrderBody {
  readonly id: number;
  readonly petId: number;
  readonly status: OrderStatus;
  readonly placedAt: string;
  readonly updatedAt: string;
}

type OrderId = bigint | number | string;

/** Adds pets and returns their identifiers. */
export async function addPets(
  { pool }: Pick<TestService, 'pool'>,
  count: number,
  status: PetStatus | null = 'available',
): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ id: bigint | string }>(
    `insert into pets (name, category_id, status) select 'Pet', 1, $2 from generate_series(1, $1) returning id`,
    [count, status],
  );
  return rows.map(({ id }) => BigInt(id));
}

export async function addPet(
  service: Pick<TestService, 'pool'>,
  status: PetStatus | null = 'available',
): Promise<bigint> {
  const [id] = await addPets(service, 1, status);
  if (id === undefined) throw new Error('no pet was added');
  return id;
}

export async function petStatus(
  { pool }: Pick<TestService, 'pool'>,
  id: bigint | string,
): Promise<string | null | undefined> {
  const { rows } = await pool.query<{ status: string | null }>('select status from pets where id = $1', [id]);
  return rows[0]?.status;
}

export const postOrder = (service: ServiceInUse, body: string): Promise<Response> =>
  service.post('/v1/store/orders', body);

export const placeOrder = (service: ServiceInUse, petId: bigint): Promise<Response> =>
  postOrder(service, `{"petId":${petId}}`);

export const patchOrder = (service: ServiceInUse, orderId: OrderId, body: string): Promise<Response> =>
  service.send('PATCH', `/v1/store/orders/${orderId}`, body);

export const changeOrder = (
  service: ServiceInUse,
  orderId: OrderId,
  status: OrderStatus,
): Promise<Response> => patchOrder(service, orderId, `{"status":"${status}"}`);

/** The changes that lead from a new order to each status. */
export const STEPS_TO: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: [],
  approved: ['approved'],
  delivered: ['approved', 'delivered'],
  cancelled: ['cancelled'],
};

/** An order of a new pet, brought to a status by requests. */
export async function orderInStatus(service: ServiceInUse, status: OrderStatus): Promise<OrderBody> {
  const placed = await placeOrder(service, await addPet(service));
  if (placed.status !== 201) throw new Error(`placing: ${placed.status} ${await placed.text()}`);
  let order = (await placed.json()) as OrderBody;
  for (const step of STEPS_TO[status]) {
    const response = await changeOrder(service, order.id, step);
    if (response.status !== 200) throw new Error(`${step}: ${response.status} ${await response.text()}`);
    order = (await response.json()) as OrderBody;
  }
  return order;
}

/** The status of a response, and the code of its error: `409 pet_is_sold`. */
export async function outcomeOf(response: Response | Promise<Response>): Promise<string> {
  const settled = await response;
  const text = await settled.text();
  const { code = '' } = (text === '' ? {} : JSON.parse(text)) as { code?: string };
  return `${settled.status} ${code}`.trim();
}
