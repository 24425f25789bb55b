create or replace trigger api_keys_not_lifted_later
  before insert or update of bans_lifted_at on api_keys
  for each row when (new.bans_lifted_at > latest_lift())
  execute function reject_change(
    'bans_lifted_at is in the future, which would disable bans', 'To lift the ban of a key: select * from unban_api_key(id).');
