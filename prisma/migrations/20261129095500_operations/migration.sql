-- The operations that an hour of usage may name, so that its rows are bounded. A release that adds an operation adds it here.
create table operations (
  operation text constraint operations_pkey primary key
);

insert into operations
values
  ('none'), ('listPets'), ('createPet'), ('getPet'), ('updatePet'), ('deletePet'),
  ('listCategories'), ('createCategory'), ('getCategory'), ('putCategory'), ('deleteCategory'),
  ('listOrders'), ('placeOrder'), ('getOrder'), ('updateOrder'), ('getInventory'), ('getUsage');
