-- Only the owner's objects: others may own tables and functions in the schema. The statements work under any
-- search_path, so types have their schema. By default, JIT compilation of this would take a second. Every role may compare, but only
-- the owner reads wanted_rights. Superusers may do everything anyway.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text, object name, statement text, run_as name)
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp set jit = off as $$
  with listed as materialized (
    select role, privilege, object from public.role_rights()
    union all
    select role::name, privilege, object::name from public.wanted_rights
  ), owning as (
    select relowner as owner, rolname as owner_name
    from pg_class
    join pg_roles on pg_roles.oid = relowner
    where pg_class.oid = 'public.plans'::regclass
  ), objects as (
    select oid, 'pg_class'::regclass as catalog, relname as name, relowner as owner, relacl as acl,
      format('%s public.%I', case relkind when 'S' then 'sequence' else 'table' end, relname) as target
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select oid, 'pg_proc'::regclass, proname, proowner, coalesce(proacl, acldefault('f', proowner)), 'function ' || oid::regprocedure
    from pg_proc
    where pronamespace = 'public'::regnamespace
  ), own as materialized (
    select o.*
    from objects o
    join owning using (owner)
    where not exists (select from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
  ), wanted as (
    select l.role, l.privilege, o.target, o.name
    from listed l
    join own o on o.name = l.object
    where l.role = 'public' or l.role in (select rolname from pg_roles)
  ), acls as (
    select name, target, owner, acl, null as "column" from own
    union all
    select o.name, o.target, o.owner, attacl, format(' (%I)', attname)
    from own o
    join pg_attribute on attrelid = o.oid and not attisdropped
    where o.catalog = 'pg_class'::regclass
    union all
    -- A role that can create functions here can have them called with the owner's rights.
    select 'schema public', 'schema public', nspowner, nspacl, null from pg_namespace where oid = 'public'::regnamespace
  ), present as (
    select grantee.role, g.privilege, a.name, a.target, format('revoke %s on %s from %I cascade', g.privilege, a.target, grantee.role) as statement, grantor.rolname as run_as
    from acls a
    cross join aclexplode(a.acl) x
    cross join unnest(case when x.is_grantable then array['', 'grant option for '] else array[''] end) as option
    cross join concat(option, lower(x.privilege_type collate "C"), a."column") as g (privilege)
    left join pg_roles r on r.oid = x.grantee
    cross join coalesce(r.rolname, 'public') as grantee (role)
    left join pg_roles grantor on grantor.oid = x.grantor
    where x.grantee <> a.owner
      and not coalesce(r.rolsuper, false)
      and (a.name <> 'schema public' or x.privilege_type = 'CREATE' and x.grantee <> (select owner from owning))
    union all
    -- Their members need no grant.
    select r.rolname, 'member', g.rolname, format('role %I', g.rolname),
      concat(format('revoke %I from %I', g.rolname, r.rolname), format(' granted by %I', grantor.rolname), ' cascade'), coalesce(grantor.rolname, 'a superuser')
    from owning
    join pg_roles g
      on g.oid = owner or g.rolsuper
        or g.rolname in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    -- Its creator only administers a role.
    join pg_auth_members m on m.roleid = g.oid and not to_jsonb(m) @> '{"inherit_option": false, "set_option": false}'
    join pg_roles r on r.oid = m.member and r.oid <> owner and not r.rolsuper
    left join pg_roles grantor on grantor.oid = m.grantor
    union all
    -- They may drop the schema with all its contents.
    select r.rolname, 'owner', name, target, format('alter %s owner to %I', target, owner_name), 'a superuser'
    from owning
    cross join (
      select 'database', format('database %I', datname), datdba from pg_database where datname = current_database()
      union all
      select 'schema public', 'schema public', nspowner from pg_namespace where oid = 'public'::regnamespace
    ) as whole (name, target, holder)
    join pg_roles r on r.oid = holder and r.oid <> owner and not r.rolsuper and r.rolname <> 'pg_database_owner'
  ), unwanted as (
    select case when role in (select role from public.role_rights()) and name in (select name from own) then 'beyond' else 'unlisted' end as difference, present.*
    from present
    where (role, privilege, name) not in (select * from listed)
      and (name in (select object from listed) or name = 'schema public' or privilege in ('member', 'owner'))
  )
  select 'missing', role, privilege, target, name,
    format('grant %s on %s to %I', replace(privilege, 'grant option for ', ''), target, role)
      || case when starts_with(privilege, 'grant option for ') then ' with grant option' else '' end,
    (select owner_name from owning)
  from (select * from wanted except select role, privilege, target, name from present) as missing
  union all
  select difference, role, privilege, target, name, statement, run_as from unwanted
  union all
  select 'undecided', null, null, target, name, null, null from own where name not in (select object from listed)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() or wanted_rights lists but a role lacks (missing), extra rights of roles in role_rights() (beyond) and those of any other role (unlisted), each with the SQL that changes it and the role to run it as; and objects that no list contains (undecided).';
