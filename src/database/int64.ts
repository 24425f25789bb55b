export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;

/** A plain decimal int64 of a path or an argument (no sign but a leading minus, no leading zeros), or undefined. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** The int64 that a number of a JSON body stands for (`7`, `7.0` and `7e0` are 7), or undefined. */
export function int64OfJson(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return isInt64(value) ? value : undefined;
}
