-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on type api_key_access is 'What a key may do: read (GET and HEAD alone) or write (everything).';

comment on table api_key_bans is 'The bans of each key, with the limits that it had. A ban that an operator lifted has ended before ends_at: recent_bans.';
comment on column api_key_bans.began_at is 'When the rejection came that began the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';

comment on table api_key_counters is 'The counters of each key: its current minute and day (UTC) and its last ban. Only the service writes them.';
comment on column api_key_counters.usage_reset_at is 'The reset of the key that was applied last.';
comment on column api_key_counters.minute is 'The UTC minute that is counted; -infinity before the first request.';
comment on column api_key_counters.minute_admitted is 'Requests admitted in the minute, since the last reset.';
comment on column api_key_counters.minute_refused is 'Requests rejected in the minute.';
comment on column api_key_counters.day is 'The UTC day of the minute.';
comment on column api_key_counters.day_admitted is 'Requests admitted in the day, since the last reset.';
comment on column api_key_counters.day_refused is 'Requests rejected in the day.';
comment on column api_key_counters.banned_at is 'When the last ban began.';
comment on column api_key_counters.banned_until is 'When the last ban ends unless an operator lifts it.';

comment on table api_key_secrets is 'The secrets of a key: one, and more during a rotation. Only the SHA-256 is stored.';
comment on column api_key_secrets.prefix is 'The first 12 characters of the secret, to identify it.';
comment on column api_key_secrets.hash is 'The SHA-256 of the secret. Operators cannot read it.';
comment on column api_key_secrets.expires_at is 'When the secret stops working; null means never.';

comment on table api_key_usage is 'The completed days (UTC) of each key. The current day is in api_key_counters.';
comment on column api_key_usage.day is 'A UTC day that has ended, or the present one up to the last reset.';
comment on column api_key_usage.admitted is 'Requests admitted in the day.';
comment on column api_key_usage.refused is 'Requests rejected in the day.';

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429 or 403, also suspended), unauthorized (revoked or expired).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';

comment on table api_keys is 'The keys of customers. Keys are revoked, never deleted. A change applies to the next request on every replica.';
comment on column api_keys.plan_custom is 'A copy of plans.custom, kept equal by the foreign key.';
comment on column api_keys.requests_per_minute is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.requests_per_day is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
comment on column api_keys.bans_lifted_at is 'Bans that began up to this time are lifted, and do not make the next ban longer.';
comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_keys.usage_reset_at is 'The last reset of what both windows have admitted: select * from reset_api_key_usage(7).';
comment on column api_keys.expires_at is 'When the key stops working; null means never.';
comment on column api_keys.revoked_at is 'When the key was revoked; null if it was not. Any value revokes at once.';

comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acted, set with set_config(''petstore.actor'', …). The command line sets the user of the operating system.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';
comment on column audit_log.action is 'insert, update or delete.';
comment on column audit_log.table_name is 'The table that was changed: api_keys, api_key_secrets or plans.';

comment on table idempotency_keys is 'The first responses by API key and Idempotency-Key, for 24 hours. Only the service writes them.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body, which a repeat must match.';
comment on column idempotency_keys.resource_id is 'The id of the created pet or order, for the Location of a repeat.';
comment on column idempotency_keys.answer is 'The body of the first response, byte for byte.';
comment on column idempotency_keys.key is 'The Idempotency-Key of the request.';
comment on column idempotency_keys.expires_at is 'From then on a request with the key is a new one.';

comment on type issued_api_key is 'The result of issue_api_key.';
comment on column issued_api_key.key is 'The plain key, which is stored nowhere.';
comment on column issued_api_key.prefix is 'The first 12 characters of the key, which identify it.';
comment on column issued_api_key.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.expires_at is 'When the key stops working; null means never.';

comment on type order_status is 'The states of an order.';

comment on table orders is
  'The orders of the store. Only status can change, one transition at a time: placed, approved, delivered; or cancelled before delivery. Triggers update the status of the pet.';
comment on column orders.updated_at is 'When the status last changed; set by a trigger.';
comment on index orders_open_pet_id_key is 'A pet has at most one open order (placed or approved).';
comment on column orders.status is 'placed, approved, delivered or cancelled.';

comment on table pet_counts is
  'Partial counts of pets by status; select * from pet_inventory() adds them up. Only triggers of pets write them.';
comment on column pet_counts.version is
  'Only the highest version of a slot counts. Version 0 never changes: it keeps a slot from being created twice.';
comment on column pet_counts.slot is 'Writers at the same time add to different slots.';
comment on column pet_counts.available is 'The part of this slot; it may be negative.';
comment on column pet_counts.pending is 'The part of this slot; it may be negative.';
comment on column pet_counts.sold is 'The part of this slot; it may be negative.';

comment on type pet_status is 'The states of a pet.';

comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';

comment on type rotated_api_key is 'The result of rotate_api_key.';
comment on column rotated_api_key.key is 'The new plain key, which is stored nowhere.';
comment on column rotated_api_key.prefix is 'The first 12 characters of the new key, which identify it.';
comment on column rotated_api_key.old_secrets_expire_at is 'When the last of the old secrets stops working.';

comment on function add_api_key_secret is
  'Adds a secret to a key and returns the plain key, which is stored nowhere. A statement can add one for each key.';

comment on function api_key_checksum is
  'The last six characters of a key: the CRC-32 (IEEE, reflected) of the characters before them, in base62.';

comment on function audit_changes is 'Writes what a statement changed to audit_log.';

comment on function count_no_pets is 'Empties pet_counts when pets are truncated.';

comment on function count_pets is 'Adds what a statement changed to pet_counts.';

comment on function explain_key_values is
  'Rejects a name or plan that a constraint would reject, with a message and a hint.';

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

comment on function explain_plan_numbers is 'Rejects a custom plan that has limits, and another plan that has none.';

comment on function explain_plan_values is
  'Rejects an id of a plan that a constraint would reject, with a message and a hint.';

comment on function follow_plan is
  'Sets plan_custom from the plan, whatever the statement says, so that a change of plan need not name it.';

comment on function keep_ordered_pet_pending is 'A pet stays pending while its order is open.';

comment on function keep_orders_of_pet is 'An order that is not cancelled cannot be deleted before its pet.';

comment on function keep_orders_of_pets is 'Orders cannot be truncated while there are pets.';

comment on function make_api_key_counters is 'Adds the row of api_key_counters of each new key.';

comment on function random_base62 is 'Random base62 text.';

comment on function reject_change is 'Rejects a change. The arguments of the trigger are the message and the hint.';

comment on function reject_deleting_used_plan is 'A plan that has keys cannot be deleted.';

comment on function reject_later_revocation is
  'A key is revoked as soon as it has a time of revocation, so that must not be in the future.';

comment on function release_ordered_pets is 'Updates the pets of delivered and cancelled orders.';

comment on function reserve_ordered_pets is 'Moves the pets of new orders from available to pending.';

comment on function api_key_overview_of is
  'A row of api_key_overview, which the functions return. Fails if there is no such key.';

comment on view api_key_daily_usage is 'Requests of each key by UTC day, including today. Days without requests are left out.';
comment on column api_key_daily_usage.day is 'The UTC day.';
comment on column api_key_daily_usage.admitted is 'Requests admitted in the day, also those before a reset.';
comment on column api_key_daily_usage.refused is 'Requests rejected in the day.';

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned or unauthorized.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';

comment on view api_key_overview is 'Every key with its plan, limits, state and use at this time.';
comment on column api_key_overview.state is
  'live, suspended (by an operator), banned (by the service), expired, revoked, or unissued: it has no secret yet, which rotate_api_key adds.';
comment on column api_key_overview.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.own_limits is 'Whether the key has a limit of its own.';
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_key_overview.minute_refused is 'Requests rejected in the current UTC minute. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day, since the last reset; api_key_daily_usage has all of them.';
comment on column api_key_overview.day_refused is 'Requests rejected in the current UTC day. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last counted request, admitted or rejected.';
comment on column api_key_overview.banned_at is 'When the current ban began; null if there is none.';
comment on column api_key_overview.banned_until is 'When the current ban ends; null if there is none.';
comment on column api_key_overview.suspended_until is 'When the current suspension ends; null if there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: its own expires_at, or that of its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The number of secrets that have not expired.';
comment on column api_key_overview.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_key_overview.revoked_at is 'When the key was revoked; null if it was not.';

comment on view api_keys_near_limit is
  'The hundred keys each that have used the largest share of the present minute and day, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The share of the limit that the present minute has used: 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The share of the limit that the present day has used: 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';
comment on column busiest_api_keys.requests is 'All requests of the last 24 hours.';
comment on column busiest_api_keys.success is 'Admitted, with a status below 400.';
comment on column busiest_api_keys.client_error is 'Admitted, with a 4xx status.';
comment on column busiest_api_keys.server_error is 'Admitted, with a 5xx status.';
comment on column busiest_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column busiest_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column busiest_api_keys.unauthorized is 'Rejected because the key is revoked or expired (401).';
comment on column busiest_api_keys.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column busiest_api_keys.last_hour is 'The last hour with requests.';

comment on view deprecated_operation_callers is 'The hundred keys that were the last to call a deprecated operation in the last 7 days, with their requests of the last 24 hours.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';

comment on view expiring_api_keys is
  'Keys and secrets that will expire, the next first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
comment on column expiring_api_keys.prefix is 'The first 12 characters of the secret that expires; null for a key.';
comment on column expiring_api_keys.expires_at is 'When the key or the secret stops working.';

comment on view noisiest_api_keys is
  'The hundred keys with the most rejected requests today. Requests during a ban are not counted, so look at banned_until as well.';
comment on column noisiest_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column noisiest_api_keys.day_refused is 'Requests rejected in the current UTC day.';
comment on column noisiest_api_keys.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column noisiest_api_keys.minute_refused is 'Requests rejected in the current UTC minute.';
comment on column noisiest_api_keys.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column noisiest_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column noisiest_api_keys.last_used_at is 'The minute of the last counted request, admitted or rejected.';

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column plan_overview.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plan_overview.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plan_overview.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plan_overview.keys is 'Keys of the plan, also revoked and expired ones.';

comment on view recent_bans is 'Bans, the last one first, with the limits that the key had. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When the rejection came that began the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, those that never had one first.';
comment on column unused_api_keys.last_used_at is 'The minute or day of the last counted request; null if there was none.';
comment on column unused_api_keys.expires_at is 'When the key stops working; null means never.';

comment on view usage_hours_gaps is
  'How many of the admitted and rejected (refused) requests of a day the hours lack: those of the last 10 s, of a replica that was killed, and of replicas of 1.0.0-rc.1. Filter with: where day = (now() at time zone ''UTC'')::date.';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';
