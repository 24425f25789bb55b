-- The service adds to a day's existing row, so its role may update all rows.
create or replace trigger api_key_usage_only_grows
  before update on api_key_usage
  for each row when (
    (old.api_key_id, old.day) is distinct from (new.api_key_id, new.day) or new.admitted < least(old.admitted, count_max()) or new.refused < least(old.refused, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');
