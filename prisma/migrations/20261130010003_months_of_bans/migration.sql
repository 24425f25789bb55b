alter table api_key_bans add column month_limit integer;
