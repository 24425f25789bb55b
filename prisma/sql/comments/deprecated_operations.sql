comment on table deprecated_operations is 'The deprecated operations of the API. The release that deprecates one adds it.';
comment on column deprecated_operations.operation is 'The operationId.';
