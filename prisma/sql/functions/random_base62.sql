-- PostgreSQL draws the bytes of version 4 UUIDs from its strong random source.
create or replace function random_base62(length integer) returns text
language plpgsql volatile strict parallel restricted as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  result text := '';
  bytes bytea;
  byte integer;
begin
  while char_length(result) < length loop
    bytes := uuid_send(gen_random_uuid());
    for position in 0..15 loop
      continue when position in (6, 8);   -- these hold the UUID's version and variant, not only random bits
      byte := get_byte(bytes, position);
      continue when byte >= 248;          -- 4 × 62: the rest would make the first eight digits likelier
      result := result || substr(digits, byte % 62 + 1, 1);
    end loop;
  end loop;
  return left(result, length);
end
$$;

comment on function random_base62 is 'Random base62 text.';

revoke execute on function random_base62(integer) from public;
