-- Only somebody other than the service has written other operations. Their hours stay readable until they are deleted; then the doctor is content
-- after: alter table api_key_usage_hours validate constraint api_key_usage_hours_operation_fkey;
do $$
begin
  alter table api_key_usage_hours validate constraint api_key_usage_hours_operation_fkey;
exception
  when foreign_key_violation then
    raise warning 'api_key_usage_hours has operations that are not in the table operations';
end
$$;
