import type { Deprecation } from '../http/deprecation.js';

/** getPet goes away on the day that the interface gives; listing with the `status` filter replaces it. */
export const GET_PET_DEPRECATION: Deprecation = {
  deprecatedAt: new Date('2026-11-20T00:00:00Z'),
  removedAt: new Date('2030-12-05T00:00:00Z'),
  successor: '/v1/pets',
  documentation: '/docs#deprecation',
};
