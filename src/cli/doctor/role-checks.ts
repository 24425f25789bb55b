import { escapeIdentifier, escapeLiteral } from 'pg';
import {
  describeWrongSetting,
  ROLE_SETTING_VALUES,
  roleSettings,
  serverTimeoutMs,
  wrongSettings,
} from '../../database/session-settings.js';
import { queryOne } from '../session.js';
import { type Check, type CheckContext, fail, ok, type Result, firstOf, warn } from './check.js';

export const checkRoles: Check = async ({ client, isEmbedded }) => {
  const { role, is_superuser, tasks } = await queryOne<{
    role: string;
    is_superuser: boolean;
    tasks: string[];
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
         case when has_function_privilege(
               'public.issue_api_key(text, text, integer, integer, timestamptz)', 'execute')
             and has_table_privilege('public.api_key_overview', 'select')
           then 'manage keys and plans'
         -- support sees them
         when has_table_privilege('public.api_key_overview', 'select') then 'see keys and plans' end], null) as tasks`,
  );
  if (tasks.length === 0) {
    return fail(
      `${role} has no rights here: grant it petstore_service, petstore_operator or petstore_support.`,
    );
  }
  const rights = `${role} may ${tasks.join(', ')}`;
  // Only this user of the operating system reaches the embedded server.
  if (isEmbedded || !is_superuser) return ok(rights);
  return warn(`${role} is a superuser, which the service does not need: use another role.`);
};

/** The functions that migrations and triggers call, which prisma/roles.sql takes from everybody else. */
const LOCKS = [
  'pg_advisory_xact_lock(bigint)',
  'pg_advisory_xact_lock(int, int)',
  'pg_try_advisory_xact_lock(int, int)',
];

/** A restore leaves out the rights of the database itself, and a new owner does not inherit what was granted to the former one. */
export const checkRights: Check = async ({ client }) => {
  const { owner, locks, ...rights } = await queryOne<
    Record<'locks' | 'excess' | 'missing' | 'beyond' | 'unlisted', string[]> & { owner: string }
  >(
    client,
    `with service as (select to_regrole('petstore_service')::oid as service),
       owning as (select relowner as owner from pg_class where oid = 'public.plans'::regclass),
       rights as (select difference, format('%s (%s on %s)', role, privilege, target) as text from rights_that_differ())
     select
       owner::regrole::text as owner,
       array(select lock from unnest($1::text[]) as lock where not has_function_privilege(owner, lock, 'execute')) as locks,
       array_remove(array[
         case when has_database_privilege(service, current_database(), 'temporary') then 'temporary tables' end,
         case when has_schema_privilege(service, 'public', 'create') then 'objects in the schema public' end], null) as excess,
       array(select text from rights where difference = 'missing' order by text)
         || array(
           select format('petstore_service (%s on new %s)', privilege, kind)
           from (values ('r', 'insert', 'tables'), ('S', 'usage', 'sequences')) as needed (type, privilege, kind)
           where service is not null and not exists (
             select from pg_default_acl cross join aclexplode(defaclacl)
             where defaclrole = owner and defaclobjtype::text = type and grantee = service and lower(privilege_type collate "C") = privilege)) as missing,
       array(select text from rights where difference = 'beyond' order by text) as beyond,
       array(select finding from unlisted_rights()) as unlisted
     from service cross join owning`,
    [LOCKS],
  );
  const { missing, beyond, unlisted, excess } = rights;
  const findings = [
    locks.length > 0 &&
      `the owner, ${owner}, may not call ${locks.join(', ')}, without which nothing is created or migrated: run \`petstore db roles\` as a superuser.`,
    missing.length > 0 && `missing rights: ${firstOf(missing)}: run \`petstore db roles\`.`,
    beyond.length > 0 && `rights that they should not have: ${firstOf(beyond)}: run \`petstore db roles\`.`,
    ...unlisted,
    excess.length > 0 &&
      `petstore_service may create ${excess.join(', ')}: run \`petstore db roles\` as a superuser.`,
  ].filter((finding) => finding !== false);
  if (findings.length === 0) return ok('the roles have the rights that they need, and others have none');
  return (locks.length > 0 ? fail : warn)(findings.join(' '));
};

/** Whether one login could exhaust the server. */
export const checkServer: Check = async ({ client, isEmbedded }) => {
  const { findings } = await queryOne<{ findings: string[] }>(
    client,
    'select array(select finding from missing_protections()) as findings',
  );
  if (isEmbedded || findings.length === 0)
    return ok('no login can exhaust the connections, memory or disk of the server');
  return warn(`${findings.join('; ')}: as a superuser, run deploy/postgres/roles.sh.`);
};

/** Settings of the roles. The service sets its own on each connection, but behind a pooler connections are shared. */
export const checkSettings: Check = async (context) => {
  const { client, isEmbedded, config } = context;
  const { rows } = await client.query<{ role: string; present: string[] }>(
    `select rolname as role, coalesce(setconfig, '{}') as present
     from pg_roles
     left join pg_db_role_setting
       on setrole = pg_roles.oid and setdatabase = (select oid from pg_database where datname = current_database())
     where rolcanlogin and not rolsuper and pg_has_role(pg_roles.oid, to_regrole('petstore_service'), 'member')
       -- The others belong to services on other databases of the server.
       and (setconfig is not null or rolname = session_user or exists (
         select from pg_stat_activity where usesysid = pg_roles.oid and datname = current_database()))
     order by rolname`,
  );
  if (rows.length === 0) return isEmbedded ? ok(RIGHT_SETTINGS) : await checkOwnSettings(context);
  const wanted = Object.entries(roleSettings(config.database.statementTimeoutMs)).map((one) => one.join('='));
  const faults = rows.flatMap(({ role, present }) => {
    const missing = wanted.filter((one) => !present.includes(one));
    return missing.length === 0 ? [] : [`${role} lacks ${missing.map((one) => `'${one}'`).join(', ')}`];
  });
  if (faults.length === 0) return ok(RIGHT_SETTINGS);
  return warn(
    `${faults.join('; ')}. The service sets its own, but not behind a pooler; as a superuser, run: petstore db roles`,
  );
};

const RIGHT_SETTINGS = 'all session settings are correct';

/** Without roles of its own, the service has that of this session. */
async function checkOwnSettings({ client }: CheckContext): Promise<Result> {
  const { settings, role, database } = await queryOne<{ settings: string[]; role: string; database: string }>(
    client,
    `select ${ROLE_SETTING_VALUES} as settings, session_user as role, current_database() as database`,
  );
  const wrong = wrongSettings(settings);
  if (wrong.length === 0) return ok(RIGHT_SETTINGS);
  const target = `${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
  const fix = wrong.map(({ name, wanted }) => `alter role ${target} set ${name} = ${escapeLiteral(wanted)};`);
  return warn(
    `${wrong.map(describeWrongSetting).join(', ')}. The service sets its own, but not behind a pooler; run: ${fix.join(' ')}`,
  );
}

export const checkStatementTimeout: Check = async ({ client, config }) => {
  const { ms, role, serves } = await queryOne<{ ms: number; role: string; serves: boolean | null }>(
    client,
    `select reset_val::int as ms, quote_ident(current_user) as role,
       pg_has_role(to_regrole('petstore_service'), 'member')
         or not (pg_has_role(to_regrole('petstore_operator'), 'member') or pg_has_role(to_regrole('petstore_support'), 'member')) as serves
     from pg_settings where name = 'statement_timeout'`,
  );
  // Operators and support have time-outs of their own: prisma/roles.sql.
  if (serves === false) return ok(`${ms} ms, for people`);
  const wanted = serverTimeoutMs(config.database.statementTimeoutMs);
  // 0: the role sets none, so the service sets its own.
  if (ms === 0 || ms === wanted) return ok(`${wanted} ms`);
  const effect = ms < wanted ? 'requests fail early under load' : 'a write may commit after its 503 response';
  return warn(`${ms} ms instead of ${wanted}, so ${effect}: set statement_timeout of ${role} to ${wanted}.`);
};
