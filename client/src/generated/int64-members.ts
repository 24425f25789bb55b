// Made from docs/openapi.yaml by "npm run client:types": change the service, not this file.
export const INT64_MEMBERS = [
  'available',
  'categoryId',
  'id',
  'pending',
  'petId',
  'sold',
] as const;
