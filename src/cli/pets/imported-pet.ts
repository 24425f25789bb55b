import { Expose } from 'class-transformer';
import { InputPipe } from '../../http/input/input.pipe.js';
import { FromJsonInt64, IsInt64, MayBeAbsent } from '../../http/input/validators.js';
import { NewPetBody } from '../../pets/dto/new-pet.body.js';
import type { PetStatus } from '../../pets/pet.js';

/** An animal of a file. Every one has the same members, undefined where it has none: millions of them are read. */
export interface ImportedPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus | undefined;
  readonly id: bigint | undefined;
}

/** The body of `POST /v1/pets`, with the identifier that an animal of a file may bring along. */
class ImportedPetBody extends NewPetBody {
  @Expose()
  @FromJsonInt64()
  @MayBeAbsent()
  @IsInt64()
  readonly id?: bigint;
}

const pipe = new InputPipe();

/**
 * What a row says, by the rules of `POST /v1/pets`.
 *
 * @throws ApiError with every fault
 */
export function readImportedPet(row: unknown, takesIds: boolean): ImportedPet {
  const metatype = takesIds ? ImportedPetBody : NewPetBody;
  const { name, categoryId, status, id } = pipe.transform(row, { type: 'body', metatype }) as ImportedPetBody;
  return { name, categoryId, status, id };
}
