create or replace function etag_of(representation text) returns text
language sql immutable parallel safe
return '"' || translate(left(encode(sha256(convert_to(representation, 'UTF8')), 'base64'), 22), '+/', '-_') || '"';

comment on function etag_of is 'The ETag of a representation, as the API returns it.';
