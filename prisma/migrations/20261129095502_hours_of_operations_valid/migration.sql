-- The service has written no other operations. Where somebody else has, their hours stay readable, and the doctor names the constraint until they
-- are deleted and the owner runs: alter table api_key_usage_hours validate constraint api_key_usage_hours_operation_fkey;
do $$
begin
  alter table api_key_usage_hours validate constraint api_key_usage_hours_operation_fkey;
exception
  when foreign_key_violation then
    raise warning 'api_key_usage_hours has operations that are not in the table operations';
end
$$;
