comment on table operations is 'The operations of the API, for the hourly usage. Migrations fill it.';
comment on column operations.operation is 'The operationId; none where no route matched.';
