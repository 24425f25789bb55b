create table database_outages (
  replica text not null,
  began_at timestamptz(6) not null,
  ended_at timestamptz(6) not null,
  undecided_of_no_key bigint not null,
  constraint database_outages_pkey primary key (replica, began_at),
  constraint database_outages_bounded check (
    char_length(replica) between 1 and 255 and replica !~ '[[:cntrl:]]'
      and is_instant(began_at) and is_instant(ended_at) and ended_at >= began_at
      and undecided_of_no_key between 0 and count_max())
);

-- For the last ones, and those of a day.
create index database_outages_ended_at_idx on database_outages (ended_at);
