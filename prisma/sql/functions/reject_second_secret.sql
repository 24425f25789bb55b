-- "select (issue_api_key(…)).*" calls the function once for each column, so a second secret for a key fails. The setting has one mark
-- per secret that the current statement has added.
create or replace function reject_second_secret(of_key text, called text) returns void
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  mark constant text := md5(of_key) || ',';
  marks text := coalesce(current_setting('petstore.secrets_added', true), '');
begin
  if not starts_with(marks, statement_timestamp()::text) then
    marks := statement_timestamp()::text || ',';
  elsif strpos(marks, mark) > 0 then
    raise exception 'a second secret for % in one statement', of_key
      using errcode = 'cardinality_violation',
            hint = format(
              'Call the function once, after from: select * from %s_api_key(…). For several of them run several statements.', called);
  end if;
  perform set_config('petstore.secrets_added', marks || mark, true);
end
$$;

comment on function reject_second_secret is 'Raises an error if a statement issues or rotates the same key a second time.';

revoke execute on function reject_second_secret(text, text) from public;
