/**
 * For an UPDATE of `api_key_counters`: the counts are those of the present minute and day. The views count those of a clock that is a
 * minute fast as present, so the turn of a minute between the update and a look does not empty them.
 */
export const PRESENT_COUNTERS = `minute = date_trunc('minute', now() + interval '1 minute', 'UTC'),
  day = ((now() + interval '1 minute') at time zone 'UTC')::date`;
