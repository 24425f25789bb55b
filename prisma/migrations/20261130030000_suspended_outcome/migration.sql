alter table api_key_usage_hours
  drop constraint api_key_usage_hours_outcome,
  add constraint api_key_usage_hours_outcome check (
    outcome in ('success', 'client_error', 'limited', 'banned', 'suspended', 'unauthorized', 'server_error', 'undecided')) not valid;
