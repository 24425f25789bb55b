create table address_usage_hours (
  hour timestamptz(6) not null,
  outcome text not null,
  requests bigint not null,
  constraint address_usage_hours_pkey primary key (hour, outcome),
  constraint address_usage_hours_bounded check (
    outcome in ('unauthorized', 'limited') and is_instant(hour) and requests between 0 and count_max())
);
