-- Other owners may have tables here, too.
create or replace function drawn_ids() returns table (table_name name, sequence_name name)
language sql stable rows 10 set search_path = public, pg_temp as $$
  select t.relname, s.relname
  from pg_attribute a
  join pg_class t on t.oid = a.attrelid
  join pg_class s on s.oid = pg_get_serial_sequence(t.oid::regclass::text, a.attname)::regclass
  where t.relnamespace = 'public'::regnamespace
    and t.relowner = (select relowner from pg_class where oid = 'plans'::regclass)
    and a.attname = 'id'
    and a.attidentity <> ''
  order by t.relname
$$;

comment on function drawn_ids is 'The tables whose ids come from a sequence.';
