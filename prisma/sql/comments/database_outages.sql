comment on table database_outages is
  'When a replica had no database, or one that rejected all statements, for a second or longer. Written on recovery; missing if the replica was stopped or killed before.';
comment on column database_outages.replica is 'The host name of the replica.';
comment on column database_outages.began_at is 'When the replica lost it, by the clock of the database.';
comment on column database_outages.ended_at is 'When it returned.';
comment on column database_outages.undecided_of_no_key is
  'Undecided requests of this replica with an unknown secret, since the previous outage. Those of keys are in api_key_usage_hours.';
