comment on table categories is 'The names of categories. A pet may also refer to an unnamed number.';
comment on column categories.name is 'Unique, ignoring the case of ASCII letters.';
