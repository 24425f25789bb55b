create table deprecated_operations (
  operation text not null,
  constraint deprecated_operations_pkey primary key (operation),
  constraint deprecated_operations_bounded check (char_length(operation) between 1 and 100)
);

insert into deprecated_operations (operation) values ('getPet');
