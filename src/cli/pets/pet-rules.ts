import { Expose } from 'class-transformer';
import { InputPipe } from '../../http/input.pipe.js';
import { int64OfJson } from '../../http/int64.js';
import { FromJsonInt64, IsInt64, isStorableText, MayBeAbsent } from '../../http/validators.js';
import { NAME_CODE_POINTS_MAX, NewPetBody } from '../../pets/dto/new-pet.body.js';
import { type NewPet, PET_STATUSES, type PetStatus } from '../../pets/pet.js';

/** An animal of a file. */
export interface ImportedPet extends NewPet {
  readonly id?: bigint;
}

/** The body of `POST /v1/pets`, with the identifier that an animal of a file may bring along. */
export class ImportedPetBody extends NewPetBody implements ImportedPet {
  @Expose()
  @FromJsonInt64()
  @MayBeAbsent()
  @IsInt64()
  readonly id?: bigint;
}

const pipe = new InputPipe();
const STATUSES: ReadonlySet<unknown> = new Set(PET_STATUSES);

/**
 * What a row says, by the rules of `POST /v1/pets`. Most rows are right: those are told by the rules' own parts, at a
 * twentieth of the cost; all others are left to the rules themselves, which alone refuse.
 *
 * @throws ApiError with every fault
 */
export function readPet(row: unknown, takesIds: boolean): ImportedPet {
  return readPlain(row, takesIds) ?? readByRules(row, takesIds);
}

function readPlain(row: unknown, takesIds: boolean): ImportedPet | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const { name, categoryId: category, status, id } = row as Record<string, unknown>;
  if (typeof name !== 'string' || !isStorableText(name, NAME_CODE_POINTS_MAX)) return undefined;
  const categoryId = int64OfJson(category);
  if (categoryId === undefined || (status !== undefined && !STATUSES.has(status))) return undefined;
  const pet = status === undefined ? { name, categoryId } : { name, categoryId, status: status as PetStatus };
  if (!takesIds || id === undefined) return pet;
  const ownId = int64OfJson(id);
  return ownId === undefined ? undefined : { ...pet, id: ownId };
}

export function readByRules(row: unknown, takesIds: boolean): ImportedPet {
  const metatype = takesIds ? ImportedPetBody : NewPetBody;
  return pipe.transform(row, { type: 'body', metatype }) as ImportedPet;
}
