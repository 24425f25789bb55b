import { isUnchanged, MIGRATIONS_DIRECTORY, readMigrations } from '../../prisma/migration-files.js';
import { readRecords } from '../../prisma/migration-records.js';
import { count } from '../progress.js';
import { queryOne } from '../session.js';
import { type Check, fail, ok, warn } from './check.js';

export const checkMigrations: Check = async ({ client }) => {
  const files = await readMigrations(MIGRATIONS_DIRECTORY);
  const records = new Map((await readRecords(client)).map((record) => [record.name, record]));
  const stuck = [...records.values()].find(({ state }) => state === 'failed');
  if (stuck !== undefined) {
    return fail(
      `${stuck.name} was begun and not finished: see what of it is there, then \`npm run prisma -- migrate resolve\` and \`petstore db migrate\`.`,
    );
  }
  const pending = files.filter(({ name }) => !records.has(name));
  if (pending.length > 0) {
    return fail(`${pending.length} of ${files.length} are not applied: run \`petstore db migrate\`.`);
  }
  const edited = files.find((file) => !isUnchanged(file, records.get(file.name)?.checksum ?? ''));
  if (edited !== undefined) {
    return warn(
      `${edited.name} was edited after it had been applied: restore the file, and write a new migration.`,
    );
  }
  const ahead = records.size - files.length;
  return ok(`${files.length} applied${ahead > 0 ? `, and ${ahead} of a newer release` : ''}`);
};

export const checkRoles: Check = async ({ client, isEmbedded }) => {
  const rights = await queryOne<{
    role: string;
    is_superuser: boolean;
    tasks: string[];
    has_groups: boolean;
  }>(
    client,
    `select
       current_user as role,
       current_setting('is_superuser')::boolean as is_superuser,
       array_remove(array[
         case when (select pg_has_role(relowner, 'usage') from pg_class where oid = 'public.plans'::regclass)
           then 'migrate' end,
         -- a request needs its key, its counter and its pet
         case when has_table_privilege('public.api_key_secrets', 'select')
             and has_table_privilege('public.api_key_counters', 'update')
             and has_table_privilege('public.pets', 'insert')
             and has_sequence_privilege('public.pets_id_seq', 'usage')
           then 'serve requests' end,
         -- an operator issues and sees keys
         case when has_function_privilege('public.issue_api_key(text, text, integer, integer, timestamptz)', 'execute')
             and has_table_privilege('public.api_key_overview', 'select')
           then 'manage keys and plans' end], null) as tasks,
       (select count(*) = 2 from pg_roles where rolname in ('petstore_service', 'petstore_operator')) as has_groups`,
  );
  const { role, is_superuser: isSuperuser, tasks, has_groups: hasGroups } = rights;
  const may = `${role} may ${tasks.join(', ')}`;
  if (tasks.length === 0) {
    return fail(
      `${role} may do nothing here: grant it petstore_service or petstore_operator, or connect as the owner.`,
    );
  }
  // Nobody else reaches the embedded server.
  if (isEmbedded) return ok(may);
  if (isSuperuser)
    return warn(`${role} is a superuser, which nothing here needs: connect as a role of its own.`);
  return ok(hasGroups ? may : `${may} (to part services from operators: \`petstore db roles\`)`);
};

export const checkCounters: Check = async ({ client }) => {
  const { keys, missing } = await queryOne<{ keys: bigint; missing: bigint }>(
    client,
    `select count(*) as keys, count(*) filter (where c.api_key_id is null) as missing
     from api_keys k left join api_key_counters c on c.api_key_id = k.id`,
  );
  if (missing === 0n) return ok(`all ${count(keys)} keys have theirs`);
  return warn(
    `${count(missing)} of ${count(keys)} keys have none, and what they counted is lost; the next request of each makes them anew. Find out who deletes from api_key_counters.`,
  );
};

/** Counts every pet at the instant for which the inventory is read. */
export const checkInventory: Check = async ({ client }) => {
  const inventory = await queryOne<{ stored: string[]; counted: string[] }>(
    client,
    `select array[available, pending, sold] as stored, counted
     from pet_inventory()
     cross join (
       select array[count(*) filter (where status = 'available'),
                    count(*) filter (where status = 'pending'),
                    count(*) filter (where status = 'sold')] as counted
       from pets) as all_pets`,
  );
  const stored = inWords(inventory.stored);
  const counted = inWords(inventory.counted);
  if (stored === counted) return ok(`exact: ${stored}`);
  return fail(
    `the inventory says ${stored}, and there are ${counted}. Was a trigger of pets disabled? To mend it see docs/operations.md.`,
  );
};

function inWords(counts: readonly string[]): string {
  const [available = '', pending = '', sold = ''] = counts.map((text) => count(BigInt(text)));
  return `${available} available, ${pending} pending, ${sold} sold`;
}
