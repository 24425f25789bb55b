comment on table wanted_rights is 'Rights of other roles, such as those of a platform or of reports, that the owner wants. "petstore db roles" grants them, and the doctor does not warn of them.';
comment on column wanted_rights.role is 'The role, or public.';
comment on column wanted_rights.privilege is 'As rights_that_differ() prints it: select, select (name), execute, usage, …; or member, of the role that object names.';
comment on column wanted_rights.object is 'The name of the table, view, sequence or function. For member: the name of a role. For create: schema public.';
