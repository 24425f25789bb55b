-- One per role, because platforms grant a role rights on every object. Rights to change something come first.
create or replace function unlisted_rights() returns table (finding text)
language sql stable rows 5 set search_path = public, pg_temp as $$
  select distinct on (role)
    format('%s has unlisted rights (%s), such as %s%s. As %s, run: %s; "petstore db roles --revoke-unlisted" revokes those granted in this database. To allow them, run as the owner: insert into wanted_rights select role, privilege, object from rights_that_differ() where difference = ''unlisted'' and role = %L;',
      role, count(*) over (partition by role), privilege, case when privilege in ('member', 'owner') then ' of ' else ' on ' end || target, run_as, statement, role)
  from rights_that_differ()
  where difference = 'unlisted'
  order by role, privilege ~ '^(select|usage)', privilege, target
$$;

comment on function unlisted_rights is
  'Roles with rights that neither role_rights() nor wanted_rights lists: one sentence each, with SQL that revokes one.';
