comment on table operations is 'The operations of the API that hours of usage name. Migrations fill it.';
comment on column operations.operation is 'The operationId; none where no route matched.';
