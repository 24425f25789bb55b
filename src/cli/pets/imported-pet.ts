import { Expose } from 'class-transformer';
import { int64OfJson } from '../../http/input/int64.js';
import { FromJsonInt64, IsInt64, isStorableText, MayBeAbsent } from '../../http/input/validators.js';
import { NAME_CODE_POINTS_MAX, NewPetBody } from '../../pets/dto/new-pet.body.js';
import { PET_STATUSES, type PetStatus } from '../../pets/pet.js';

/** An animal of a file. Every one has the same members, undefined where it has none: millions of them are read. */
export interface ImportedPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus | undefined;
  readonly id: bigint | undefined;
}

/** The body of `POST /v1/pets`, with the identifier that an animal of a file may bring along. */
export class ImportedPetBody extends NewPetBody {
  @Expose()
  @FromJsonInt64()
  @MayBeAbsent()
  @IsInt64()
  readonly id?: bigint;
}

const STATUSES: ReadonlySet<unknown> = new Set(PET_STATUSES);

/**
 * The animal of a row that is right by the rules of `POST /v1/pets`, told by the rules' own parts at a twentieth of their
 * cost. Undefined: only the rules themselves can tell, and only they refuse.
 */
export function readRightPet(row: unknown, takesIds: boolean): ImportedPet | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const { name, categoryId: category, status, id } = row as Record<string, unknown>;
  if (typeof name !== 'string' || !isStorableText(name, NAME_CODE_POINTS_MAX)) return undefined;
  const categoryId = int64OfJson(category);
  if (categoryId === undefined || (status !== undefined && !STATUSES.has(status))) return undefined;
  const ownId = takesIds ? int64OfJson(id) : undefined;
  if (takesIds && id !== undefined && ownId === undefined) return undefined;
  return { name, categoryId, status: status as PetStatus | undefined, id: ownId };
}
