import { InputPipe } from '../../http/input/input.pipe.js';
import { NewPetBody } from '../../pets/dto/new-pet.body.js';
import { type ImportedPet, ImportedPetBody } from './imported-pet.js';

const pipe = new InputPipe();

/**
 * What a row says, by the rules of `POST /v1/pets` themselves. In a file of its own because only files with faults need it,
 * and it takes a while to load.
 *
 * @throws ApiError with every fault
 */
export function readByRules(row: unknown, takesIds: boolean): ImportedPet {
  const metatype = takesIds ? ImportedPetBody : NewPetBody;
  const pet = pipe.transform(row, { type: 'body', metatype }) as ImportedPetBody;
  return { name: pet.name, categoryId: pet.categoryId, status: pet.status, id: pet.id };
}
