-- Requests go on meanwhile.
alter table api_key_counters validate constraint api_key_counters_generation;
