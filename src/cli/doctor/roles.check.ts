import { type Check, fail, ok, warn } from './finding.js';

interface Rights {
  readonly role: string;
  readonly is_superuser: boolean;
  readonly owns: boolean;
  readonly serves: boolean;
  readonly operates: boolean;
  readonly has_groups: boolean;
}

export const checkRoles: Check['run'] = async ({ client, isEmbedded }) => {
  const { rows } = await client.query<Rights>(
    `select
       current_user as role,
       current_setting('is_superuser')::boolean as is_superuser,
       (select pg_has_role(relowner, 'usage') from pg_class where oid = 'public.plans'::regclass) as owns,
       -- what a request needs: its key, its count, its animal
       has_table_privilege('public.api_key_secrets', 'select')
         and has_table_privilege('public.api_key_counters', 'update')
         and has_table_privilege('public.pets', 'insert')
         and has_sequence_privilege('public.pets_id_seq', 'usage') as serves,
       -- what an operator needs: to issue keys and to see them
       has_function_privilege('public.issue_api_key(text, text, integer, integer, timestamptz)', 'execute')
         and has_table_privilege('public.api_key_overview', 'select') as operates,
       (select count(*) = 2 from pg_roles where rolname in ('petstore_service', 'petstore_operator')) as has_groups`,
  );
  const [rights] = rows;
  if (rights === undefined) return fail('The database does not tell.');
  const { role, is_superuser: isSuperuser, owns, serves, operates, has_groups: hasGroups } = rights;
  const tasks = [
    ...(owns ? ['migrate'] : []),
    ...(serves ? ['serve requests'] : []),
    ...(operates ? ['manage keys and plans'] : []),
  ];
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
  if (!hasGroups) return ok(`${may} (to part services from operators: \`petstore db roles\`)`);
  return ok(may);
};
