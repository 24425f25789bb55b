import fc from 'fast-check';
import { type NewPetBody, PET_STATUSES } from '../../src/pets/pets.dto.js';
import { int64Text, legalName } from './arbitraries.js';

interface Member {
  readonly column: string;
  /** Whether a pet can be without it. */
  readonly isOptional?: boolean;
  /** Values as JSON. */
  readonly valid: fc.Arbitrary<string>;
  readonly wrong: readonly string[];
  /** Wrong values that the column rejects, too: SQL and `\copy` write there. */
  readonly wrongInColumn: readonly string[];
}

/** What callers give a pet, in the order of the JSON. Tests of create, list, get, change, replay, client and docs follow this table. */
export const PET_MEMBERS: Readonly<Record<keyof NewPetBody, Member>> = {
  name: {
    column: 'name',
    valid: legalName.map((name) => JSON.stringify(name)),
    wrong: [
      ...['null', '7', '["Rex"]', '""', '" \\t\\u00a0\\u2003\\u0085"', '"a\\u0000b"', '"a\\ud800b"'],
      ...[`"${'x'.repeat(256)}"`, `"${'🐕'.repeat(256)}"`],
    ],
    wrongInColumn: ['null', '""', `"${'🐕'.repeat(256)}"`],
  },
  categoryId: {
    column: 'category_id',
    valid: int64Text,
    wrong: ['null', '"7"', 'true', '7.5', '9223372036854775808', '-9223372036854775809', '1e30'],
    wrongInColumn: ['null', '7.5', '9223372036854775808'],
  },
  status: {
    column: 'status',
    isOptional: true,
    valid: fc.constantFrom(...PET_STATUSES).map((status) => JSON.stringify(status)),
    wrong: ['null', '"AVAILABLE"', '""', '["sold"]'],
    wrongInColumn: ['"AVAILABLE"', '""'],
  },
};

export type PetMember = keyof typeof PET_MEMBERS;

/** The JSON of each member of a pet. */
export type PetMembers = Readonly<Partial<Record<PetMember, string>>>;

export const MEMBER_NAMES = Object.keys(PET_MEMBERS) as readonly PetMember[];

const REQUIRED_NAMES = MEMBER_NAMES.filter((name) => !PET_MEMBERS[name].isOptional);

const membersOf = (names: readonly PetMember[]): fc.Arbitrary<PetMembers> =>
  fc.record(Object.fromEntries(names.map((name) => [name, PET_MEMBERS[name].valid])));

/** A pet with every member. */
export const wholePet = membersOf(MEMBER_NAMES);

/** A pet with the members that it must have. */
export const smallestPet = membersOf(REQUIRED_NAMES);

/** The members as they stand in a body, after `first`. */
export const bodyOf = (members: PetMembers, first?: string): string =>
  `{${[
    ...(first === undefined ? [] : [first]),
    ...MEMBER_NAMES.flatMap((name) => (members[name] === undefined ? [] : [`"${name}":${members[name]}`])),
  ].join(',')}}`;
