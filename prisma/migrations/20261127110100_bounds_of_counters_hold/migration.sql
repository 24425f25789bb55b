-- Requests go on meanwhile.
alter table api_key_counters validate constraint api_key_counters_day_of_minute;
alter table api_key_counters validate constraint api_key_counters_ban_begins_in_minute;
alter table api_key_counters validate constraint api_key_counters_ban_lasts_a_day;
