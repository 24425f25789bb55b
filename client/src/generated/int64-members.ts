// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.
export const INT64_MEMBERS = [
  'available',
  'categoryId',
  'id',
  'pending',
  'petId',
  'sold',
] as const;
