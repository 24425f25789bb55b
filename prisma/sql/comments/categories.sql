comment on table categories is 'The names of categories. A pet may also refer to a number that has none.';
comment on column categories.name is 'Unique without regard to the case of ASCII letters.';
