-- A condition is null, or tags with commas between: those of the service contain none. Either may also be '*', any representation.
create or replace function meets_preconditions(representation text, if_match text, if_none_match text) returns boolean
language sql immutable parallel safe
return (if_match is null or if_match = '*' or etag_of(representation) = any (string_to_array(if_match, ',')))
  and (if_none_match is null
    or (if_none_match <> '*' and etag_of(representation) <> all (string_to_array(if_none_match, ','))));

comment on function meets_preconditions is
  'Whether a representation has one of the tags of If-Match and none of If-None-Match (RFC 9110 section 13.2.2).';
