alter table api_key_bans
  add column month_limit integer,
  add constraint api_key_bans_month_limit check (month_limit >= 1) not valid;
