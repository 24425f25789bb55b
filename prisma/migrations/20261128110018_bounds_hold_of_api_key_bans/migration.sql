-- Requests go on meanwhile.
alter table api_key_bans validate constraint api_key_bans_bounded;
