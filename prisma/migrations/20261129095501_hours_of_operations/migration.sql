alter table api_key_usage_hours
  add constraint api_key_usage_hours_operation_fkey foreign key (operation) references operations
  on update restrict on delete restrict not valid;
