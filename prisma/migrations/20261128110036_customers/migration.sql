alter table api_keys add column customer text;
alter table api_keys
  add constraint api_keys_customer_length check (char_length(customer) between 1 and 100) not valid,
  add constraint api_keys_customer_printable check (customer ~ '[^[:space:]]' and customer !~ '[[:cntrl:]]') not valid;
