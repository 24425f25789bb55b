-- The operations that an hour of usage may name, so that its rows are bounded. A release that adds an operation adds it here.
create table operations (
  operation text constraint operations_pkey primary key
);

insert into operations
values
  ('none'), ('listPets'), ('createPet'), ('getPet'), ('updatePet'), ('deletePet'),
  ('listCategories'), ('createCategory'), ('getCategory'), ('putCategory'), ('deleteCategory'),
  ('listOrders'), ('placeOrder'), ('getOrder'), ('updateOrder'), ('getInventory'), ('getUsage');

alter table api_key_usage_hours
  add constraint api_key_usage_hours_operation_fkey foreign key (operation) references operations
  on update restrict on delete restrict not valid;
