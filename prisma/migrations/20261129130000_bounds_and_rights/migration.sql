create table wanted_rights (
  role text,
  privilege text constraint wanted_rights_privilege_form check (privilege ~ '^(grant option for )?(?!all\M)[a-z]+( \([^()]+\))?$'),
  object text,
  constraint wanted_rights_pkey primary key (role, privilege, object)
);

-- What prisma/roles.sql gives the service on each new table would let it list rights for itself.
do $$
begin
  if to_regrole('petstore_service') is not null then
    revoke all on wanted_rights from petstore_service;
  end if;
end
$$;

-- Only 1.0 called them.
drop function delete_pet_if(bigint, text, text);
drop function delete_old_usage_hours(integer, integer);
