import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/database/int64.js';
import { PET_STATUSES, type PetStatus } from '../../src/pets/pets.dto.js';

const EDGES = [INT64_MIN, INT64_MAX, 0n, -1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n];

/** Any int64 between these in decimal, both of them and what a double would round among them. */
export function int64TextFrom(
  minimum: bigint | number = INT64_MIN,
  maximum: bigint | number = INT64_MAX,
): fc.Arbitrary<string> {
  const [min, max] = [BigInt(minimum), BigInt(maximum)];
  const edges = [min, max, ...EDGES].filter((one) => one >= min && one <= max);
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(...edges)).map(String);
}

export const int64Text = int64TextFrom();

/** Any text of so many code points at most that the contract allows. */
const legalText = (codePointsMax: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: codePointsMax })
    .filter((text) => /[^\s\u0085]/u.test(text) && !text.includes('\0'));

export const legalName = legalText(255);

export const statusOrAbsent: fc.Arbitrary<PetStatus | undefined> = fc.option(
  fc.constantFrom(...PET_STATUSES),
  {
    nil: undefined,
  },
);
