create or replace trigger api_key_usage_hours_only_grow
  before update on api_key_usage_hours
  for each row when (
    (old.hour, old.api_key_id, old.operation, old.outcome) is distinct from (new.hour, new.api_key_id, new.operation, new.outcome)
    or new.requests < least(old.requests, count_max()) or new.total_ms < least(old.total_ms, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');
