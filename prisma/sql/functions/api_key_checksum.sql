create or replace function api_key_checksum(body text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := convert_to(body, 'UTF8');
  crc bigint := 4294967295;
  result text := '';
begin
  for position in 0..octet_length(bytes) - 1 loop
    crc := crc # get_byte(bytes, position);
    for bit in 1..8 loop
      crc := case when crc & 1 = 1 then (crc >> 1) # 3988292384 else crc >> 1 end;
    end loop;
  end loop;
  crc := crc # 4294967295;
  for digit in 1..6 loop
    result := substr(digits, (crc % 62)::integer + 1, 1) || result;
    crc := crc / 62;
  end loop;
  return result;
end
$$;

comment on function api_key_checksum is
  'The last six characters of a key: the CRC-32 (IEEE, reflected) of the characters before them, in base62.';

revoke execute on function api_key_checksum(text) from public;
