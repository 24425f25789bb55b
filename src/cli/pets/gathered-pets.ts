import { Client, DatabaseError } from 'pg';
import { violatedConstraint } from '../../database/database-errors.js';
import { CliError } from '../cli-error.js';
import { moveSequencePast } from './pets-sequence.js';

/**
 * Identifiers from here on are out of the sequence's reach: were it moved past the largest int64, no animal could be added
 * any more, and below 2^62 it does not come by itself.
 */
const SEQUENCE_ID_END = 2n ** 62n;

/** insufficient_privilege */
const NOT_ALLOWED = '42501';

/** A row that is refused because its identifier is taken. */
export type RefuseTaken = (line: number, fault: string) => void;

/**
 * Adds the gathered rows to the animals, in the present transaction, and returns how many. Identifiers that are taken are
 * told; then, unless they are to be skipped, nothing is added and undefined returned.
 */
export async function addGatheredPets(
  client: Client,
  url: string,
  { skipsTaken, refuse }: { readonly skipsTaken: boolean; readonly refuse: RefuseTaken },
): Promise<number | undefined> {
  await moveSequence(client, url);
  await client.query('savepoint before_adding');
  try {
    return await add(client, '');
  } catch (error) {
    if (violatedConstraint(error) !== 'pets_pkey') throw error;
  }
  // Not compared before: that would cost each import what only few need.
  await client.query('rollback to before_adding');
  await tellTaken(client, refuse);
  return skipsTaken ? await add(client, 'on conflict (id) do nothing') : undefined;
}

async function add(client: Client, onConflict: string): Promise<number> {
  const { rowCount } = await client.query(
    `insert into pets (id, name, category_id, status)
     select id, name, category_id, status from imported_pets
     ${onConflict}`,
  );
  return rowCount ?? 0;
}

/** Rows read at a time, so that any number can be told in constant memory. */
const TOLD_AT_A_TIME = 1000;

async function tellTaken(client: Client, refuse: RefuseTaken): Promise<void> {
  await client.query(
    `declare taken cursor for
     select line, id, nth > 1 as is_repeated
     from (
       select line, id, row_number() over (partition by id order by line) as nth
       from imported_pets) as numbered
     where nth > 1 or exists (select from pets where pets.id = numbered.id)
     order by line`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: bigint; id: bigint; is_repeated: boolean }>(
      `fetch ${TOLD_AT_A_TIME} from taken`,
    );
    for (const { line, id, is_repeated: isRepeated } of rows) {
      refuse(
        Number(line),
        isRepeated ? `id ${id} is in the file before.` : `id ${id} is taken: an animal has it already.`,
      );
    }
    if (rows.length < TOLD_AT_A_TIME) break;
  }
  await client.query('close taken');
}

/**
 * Has the service's next identifiers follow the imported ones, before these are there: else it would draw one of them, wait
 * for this import to end and fail.
 */
async function moveSequence(client: Client, url: string): Promise<void> {
  const { rows } = await client.query<{ last: bigint | null; next: bigint }>(
    `select
       (select max(id) from imported_pets where id < $1) as last,
       (select last_value + is_called::int from pets_id_seq) as next`,
    [SEQUENCE_ID_END],
  );
  const [{ last, next } = { last: null, next: 0n }] = rows;
  if (last !== null && last >= next) await moveSequencePast(last, url);
}

/** An error of an import with identifiers, which not every role may do. */
export function explained(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.code !== NOT_ALLOWED) return error;
  return new CliError(
    error.message,
    'Only the owner of the tables may bring identifiers along: ask for that, or give --new-ids.',
  );
}
