// What the baselines know of the animals: the statements and the form of the answers, the same as the service's.

const PET = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
};

export const PET_SCHEMA = PET;
export const PETS_SCHEMA = { type: 'array', items: PET };

/** A row, with its columns in order, as an animal. */
export const petOf = ([id, name, categoryId, status]) =>
  status === null ? { id, name, categoryId } : { id, name, categoryId, status };

const COLUMNS = 'id, name, category_id, status';

/** Named, so that each connection prepares them once; rows are arrays. */
const statement = (name, text) => (values) => ({ name, text, values, rowMode: 'array' });

export const listPets = statement(
  'list_pets',
  `select ${COLUMNS} from pets where id >= $1 order by id limit $2`,
);

export const listPetsByStatus = statement(
  'list_pets_by_status',
  `select ${COLUMNS} from pets where status = $1 and id >= $2 order by id limit $3`,
);

export const findPet = statement('find_pet', `select ${COLUMNS} from pets where id = $1`);

export const createPet = statement(
  'create_pet',
  `insert into pets (name, category_id, status) values ($1, $2, $3) returning ${COLUMNS}`,
);
