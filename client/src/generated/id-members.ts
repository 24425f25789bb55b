// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.
export const ID_MEMBERS = [
  'categoryId',
  'id',
  'petId',
] as const;
