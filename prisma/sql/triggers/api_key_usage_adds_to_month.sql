create or replace trigger api_key_usage_adds_to_month
  after insert or update of admitted on api_key_usage
  for each row execute function add_to_month();
