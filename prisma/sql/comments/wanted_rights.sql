comment on table wanted_rights is 'Rights that the owner allows other roles, such as reporting: the doctor does not warn about them. "petstore db roles" grants those on objects.';
comment on column wanted_rights.role is 'The role, or public.';
comment on column wanted_rights.privilege is 'As rights_that_differ() prints it: select, select (name), execute, usage, …; member, of the role that object names; or owner.';
comment on column wanted_rights.object is 'As rights_that_differ() prints it: the name of the table, view, sequence, function or role; schema public; database.';
