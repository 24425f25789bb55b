alter table api_key_usage
  add constraint api_key_usage_bounded check (
    greatest(admitted, refused) <= count_max() and day between '0001-01-01' and '9999-12-31') not valid;
