alter table api_key_bans
  add constraint api_key_bans_bounded check (
    is_instant(began_at) and is_instant(ends_at) and least(minute_limit, day_limit) >= 0) not valid;
