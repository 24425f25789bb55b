-- The targets work in a grant under every search_path, so types have their schema, too.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with objects as (
    select oid, relname as name, relowner as owner, relacl as acl,
      format('%s public.%I', case relkind when 'S' then 'sequence' else 'table' end, relname) as target
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select oid, proname, proowner, coalesce(proacl, acldefault('f', proowner)),
      'function ' || oid::regprocedure
    from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  ), wanted as (
    select r.role, r.privilege, o.target
    from public.role_rights() r
    join objects o on o.name = r.object
    where r.role = 'public' or r.role in (select rolname from pg_roles)
  ), granted as (
    select a.grantee, lower(a.privilege_type) as privilege, o.target, o.owner
    from objects o
    cross join aclexplode(o.acl) a
    union all
    select a.grantee, format('%s (%I)', lower(a.privilege_type), attname), o.target, o.owner
    from objects o
    join pg_attribute on attrelid = o.oid
    cross join aclexplode(attacl) a
    where o.target not like 'function %'
  ), present as (
    select coalesce(rolname, 'public') as role, g.privilege, g.target
    from granted g
    left join pg_roles on pg_roles.oid = g.grantee
    where g.grantee <> g.owner
  )
  select 'missing', * from (select * from wanted except select * from present) as missing
  union all
  select 'beyond', * from (
    select * from present
    where role in (select r.role from public.role_rights() r)
      and target in (select o.target from objects o where o.name in (select r.object from public.role_rights() r))
    except
    select * from wanted) as beyond
  union all
  select 'undecided', null, null, o.target from objects o where o.name not in (select r.object from public.role_rights() r)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() lists and a role lacks (missing), those that it has and the list does not (beyond), and what the list does not contain (undecided).';
