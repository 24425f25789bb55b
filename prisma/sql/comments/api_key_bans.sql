comment on table api_key_bans is 'The bans of each key, with its limits at that time. A lifted ban ended before ends_at: see recent_bans.';
comment on column api_key_bans.began_at is 'When a rejection started the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';
comment on column api_key_bans.month_limit is 'The limit per month that was in force; null if there was none.';
