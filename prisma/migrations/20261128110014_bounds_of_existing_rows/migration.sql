-- Requests go on meanwhile: only rows beyond the bounds are changed, of which a store that was not attacked has none.

update api_key_counters
set
  minute = '-infinity', day = '-infinity', minute_admitted = 0, minute_refused = 0, day_admitted = 0, day_refused = 0,
  banned_at = null, banned_until = null, usage_reset_at = null
where greatest(minute_admitted, minute_refused, day_admitted, day_refused) > count_max()
  or not (minute = '-infinity' or is_instant(minute))
  or not is_instant(banned_at)
  or not is_instant(usage_reset_at);

-- What admission never wrote.
delete from api_key_usage where not day between '0001-01-01' and '9999-12-31';
delete from api_key_usage_hours
where not (hour between '2020-01-01 00:00Z' and '9999-12-31 23:00Z' and char_length(operation) between 1 and 100 and operation !~ '[[:cntrl:]]');
delete from api_key_bans where not (is_instant(began_at) and is_instant(ends_at) and least(minute_limit, day_limit) >= 0);
delete from idempotency_keys where not (is_instant(expires_at) and octet_length(answer) <= 65536);

-- Counts beyond the bound are wrong anyway.
update api_key_usage set admitted = least(admitted, count_max()), refused = least(refused, count_max())
where greatest(admitted, refused) > count_max();
update api_key_usage_hours set requests = least(requests, count_max()), total_ms = least(total_ms, count_max())
where greatest(requests, total_ms) > count_max();

-- Such times have no meaning. A key or secret stays as it is otherwise: revoked, suspended or expired, or not.
update pets set created_at = statement_timestamp() where not is_instant(created_at);
update orders set placed_at = statement_timestamp(), updated_at = statement_timestamp()
where not is_instant(placed_at) or not is_instant(updated_at);
update api_key_secrets
set expires_at = case when expires_at > statement_timestamp() then 'infinity' else '-infinity' end::timestamptz
where isfinite(expires_at) and not is_instant(expires_at);
update api_keys
set
  expires_at = case
    when not isfinite(expires_at) or is_instant(expires_at) then expires_at
    when expires_at > statement_timestamp() then 'infinity'
    when expires_at is not null then '-infinity' end,
  suspended_until = case
    when not isfinite(suspended_until) or is_instant(suspended_until) then suspended_until
    when suspended_until > statement_timestamp() then 'infinity'
    when suspended_until is not null then '-infinity' end,
  revoked_at = case when is_instant(revoked_at) then revoked_at when revoked_at is not null then statement_timestamp() end,
  bans_lifted_at = case
    when is_instant(bans_lifted_at) then bans_lifted_at
    when bans_lifted_at > statement_timestamp() then statement_timestamp() end,
  usage_reset_at = case when is_instant(usage_reset_at) then usage_reset_at end
where not (not isfinite(expires_at) or is_instant(expires_at))
  or not (not isfinite(suspended_until) or is_instant(suspended_until))
  or not is_instant(revoked_at)
  or not is_instant(bans_lifted_at)
  or not is_instant(usage_reset_at);
