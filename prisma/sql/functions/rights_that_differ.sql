-- Only the objects of the owner: others may have tables and functions in the schema, too. The targets work in a grant under every
-- search_path, so types have their schema. With its default the planner would compile this for a second.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text)
language sql stable rows 10 set search_path = pg_catalog, pg_temp set jit = off as $$
  with listed as materialized (
    select * from public.role_rights()
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
    select *
    from objects o
    where owner = (select relowner from pg_class where oid = 'public.plans'::regclass)
      and not exists (select from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
  ), wanted as (
    select l.role, l.privilege, o.target
    from listed l
    join own o on o.name = l.object
    where l.role = 'public' or l.role in (select rolname from pg_roles)
  ), granted as (
    select a.grantee, a.is_grantable, lower(a.privilege_type) as privilege, o.target, o.owner
    from own o
    cross join aclexplode(o.acl) a
    union all
    select a.grantee, a.is_grantable, format('%s (%I)', lower(a.privilege_type), attname), o.target, o.owner
    from own o
    join pg_attribute on attrelid = o.oid and not attisdropped
    cross join aclexplode(attacl) a
    where o.catalog = 'pg_class'::regclass
  ), present as (
    select coalesce(rolname, 'public') as role, option || g.privilege as privilege, g.target
    from granted g
    cross join unnest(case when g.is_grantable then array['', 'grant option for '] else array[''] end) as option
    left join pg_roles on pg_roles.oid = g.grantee
    where g.grantee <> g.owner
  )
  select 'missing', * from (select * from wanted except select * from present) as missing
  union all
  select 'beyond', * from (
    select * from present
    where role in (select l.role from listed l)
      and target in (select o.target from own o where o.name in (select l.object from listed l))
    except
    select * from wanted) as beyond
  union all
  select 'undecided', null, null, o.target from own o where o.name not in (select l.object from listed l)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() lists and a role lacks (missing), those that it has and the list does not (beyond), and what the list does not contain (undecided).';
