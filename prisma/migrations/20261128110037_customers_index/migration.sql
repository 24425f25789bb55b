-- Apart from the new column, whose lock stops admission until its commit. This one lets requests go on, and keys change when it ends.
-- squawk-ignore require-concurrent-index-creation
create index if not exists api_keys_customer_idx on api_keys (customer);
alter table api_keys
  validate constraint api_keys_customer_length,
  validate constraint api_keys_customer_printable;
