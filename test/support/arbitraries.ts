import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/database/int64.js';
import { PET_STATUSES, type PetStatus } from '../../src/pets/pets.dto.js';

/** Any int64 in decimal, the edges and what a double would round among them. */
export const int64Text: fc.Arbitrary<string> = fc
  .oneof(
    fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
  )
  .map(String);

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
