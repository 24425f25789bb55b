import type { Request, Stage } from './stage.js';

/** A request that each operation answers with success, and one for a record that does not exist. */
export const REQUESTS: Readonly<Record<string, (stage: Stage) => Request>> = {
  listPets: (stage) => request(stage, 'GET', '/v1/pets'),
  createPet: (stage) => request(stage, 'POST', '/v1/pets', '{"name":"Rex","categoryId":7}'),
  getPet: (stage) => request(stage, 'GET', '/v1/pets/1'),
  listOrders: (stage) => request(stage, 'GET', '/v1/store/orders'),
  placeOrder: (stage) => request(stage, 'POST', '/v1/store/orders', `{"petId":${stage.nextPetId()}}`),
  getOrder: (stage) => request(stage, 'GET', '/v1/store/orders/1'),
  updateOrder: (stage) => request(stage, 'PATCH', '/v1/store/orders/1', '{"status":"placed"}'),
  getInventory: (stage) => request(stage, 'GET', '/v1/store/inventory'),
  getUsage: (stage) => request(stage, 'GET', '/v1/usage'),
};

function request(stage: Stage, method: string, target: string, body?: string): Request {
  return {
    method,
    target,
    headers: {
      Host: 'petstore.example',
      Authorization: `Bearer ${stage.keys.good}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
}
