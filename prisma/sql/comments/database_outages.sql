comment on table database_outages is
  'When a replica had no database, or one that rejected all statements, for a second or longer. Written when it was back; that of a replica that was stopped or killed meanwhile is missing.';
comment on column database_outages.replica is 'The host name of the replica.';
comment on column database_outages.began_at is 'When the replica found that it had none, by the clock of the database.';
comment on column database_outages.ended_at is 'When it was back.';
comment on column database_outages.undecided_of_no_key is
  'Requests with a secret of no key that this replica could not decide about since the outage before. Those of keys are in api_key_usage_hours.';
