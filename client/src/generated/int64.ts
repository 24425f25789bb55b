// Generated from docs/openapi.yaml by "npm run openapi". Do not edit.
/** The members and parameters that are 64-bit integers. */
export const INT64_NAMES: ReadonlySet<string> = new Set([
  "available",
  "categoryId",
  "id",
  "orderId",
  "pending",
  "petId",
  "sold"
]);
