import { USAGE_OUTCOMES } from '../../usage/hour-counts.js';
import type { CommandSpec } from '../command.js';

const SINCE = {
  '--since <time:time-or-ago>': { says: 'such as 7d, or 2027-01-31T00:00:00Z', byDefault: '24h' },
} as const;
const KEY = ['key=api_key_id', 'name', 'plan=plan_id'];

/**
 * The first hour that begins at or after `--since`, but not after the end's hour: a day is 24 hours including the current one.
 */
const from = (end: string): string => `least(
  date_trunc('hour', :since::timestamptz - interval '1 microsecond', 'UTC') + interval '1 hour',
  date_trunc('hour', ${end}, 'UTC'))`;
const FROM = from(':now::timestamptz');

export const USAGE_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'top',
    says: 'Lists the hundred keys with the most requests, rejected ones included.',
    options: SINCE,
    list: `select api_key_id, name, plan_id, requests, ${USAGE_OUTCOMES.join(', ')} from busiest_api_keys_since(${FROM})`,
    columns: [...KEY, 'requests', ...USAGE_OUTCOMES],
    empty: 'No requests.',
    examples: ['usage top', 'usage top --since 7d'],
  },
  {
    usage: 'hours <key>',
    says: 'Shows the requests of a key by hour, operation and outcome, in whole hours (the view api_key_hourly_usage).',
    options: { ...SINCE, '--until <time:time-or-ago>': 'the end of the time; now by default' },
    list: `
      select hour, operation, outcome, requests, mean_ms
      from api_key_hourly_usage
      where api_key_id = :key
        and hour >= ${from("coalesce(:until::timestamptz - interval '1 microsecond', :now)")}
        and hour < coalesce(:until, :now)
      order by hour, operation, outcome`,
    columns: ['hour', 'operation', 'outcome', 'requests', 'mean_ms'],
    of: 'rows',
    empty: 'No requests.',
    examples: [
      'usage hours psk_8QvR2mXa --since 7d',
      'usage hours 7 --since 2027-01-31T14:00:00Z --until 2027-01-31T15:00:00Z',
    ],
  },
  {
    usage: 'near-limit',
    says: 'Lists the keys that have used the most of their minute, day or month (the view api_keys_near_limit).',
    options: {
      '--above <percent>': 'only those above this share of one of them, such as 80',
      '--customer <customer>': 'only keys of this customer',
    },
    list: `
      select * from api_keys_near_limit
      where (:above::int is null or greatest(minute_share, day_share, month_share) * 100 > :above)
        and (:customer::text is null or customer = :customer)`,
    columns: [
      ...[...KEY, 'minute=minute_admitted/requests_per_minute', 'day=day_admitted/requests_per_day'],
      ...['month?=month_admitted/requests_per_month', 'busiest_hour'],
    ],
    empty: 'No key.',
    examples: ['usage near-limit --above 80'],
  },
  {
    usage: 'bans',
    says: 'Lists bans, the last one first, with the limits that the keys had (the view recent_bans).',
    options: SINCE,
    list: 'select * from recent_bans where began_at >= :since',
    columns: [...KEY, 'began_at', 'ends_at', 'lifted_at', 'in_force', 'minute_limit', 'day_limit'],
    of: 'bans',
    empty: 'No bans.',
    examples: ['usage bans --since 7d'],
  },
  {
    usage: 'customers',
    says: 'Lists the hundred customers with the most requests, rejected ones included, and how many of their keys have used more than 80 % of their day.',
    options: SINCE,
    list: `
      select used.*, keys.keys, keys.live_keys, keys.near_limit_keys
      from (
        select
          k.customer,
          saturated(sum(u.requests)) as requests,
          ${USAGE_OUTCOMES.map(
            (outcome) =>
              `coalesce(saturated(sum(u.requests) filter (where u.outcome = '${outcome}')), 0) as ${outcome}`,
          ).join(', ')}
        from api_key_usage_hours u
        join api_keys k on k.id = u.api_key_id
        where u.hour >= ${FROM}
          and u.hour <= trusted_until()
          and k.customer is not null
        group by k.customer
        order by requests desc, k.customer
        limit 100
      ) as used
      cross join lateral (select * from customer_overview o where o.customer = used.customer) as keys
      order by used.requests desc, used.customer`,
    columns: ['customer', 'keys', 'near_limit_keys', 'requests', ...USAGE_OUTCOMES],
    of: 'customers',
    empty: 'No requests of keys with a customer.',
    examples: ['usage customers --since 7d'],
  },
  {
    usage: 'flooding',
    says: 'Lists the hundred keys with the most rejected requests of this hour and the one before, also during bans (the view flooding_api_keys).',
    list: 'select * from flooding_api_keys',
    columns: [...KEY, 'rejected', 'limited', 'banned', 'suspended', 'state', 'banned_until'],
    empty: 'No rejected requests of keys are recorded yet: replicas write every ten seconds.',
  },
  {
    usage: 'noisy',
    says: 'Lists the hundred keys with the most rejected requests today, excluding bans (the view noisiest_api_keys).',
    list: 'select * from noisiest_api_keys',
    columns: [
      ...['key=id', 'name', 'plan=plan_id', 'rejected=day_refused', 'admitted=day_admitted'],
      ...['banned_until', 'last_used_at'],
    ],
    empty: 'No request was rejected today.',
  },
  {
    usage: 'unused',
    says: 'Lists the keys that were not used for 90 days (the view unused_api_keys).',
    list: 'select * from unused_api_keys',
    columns: [...KEY, 'last_used_at', 'created_at', 'expires_at'],
    empty: 'No key has been unused for 90 days.',
  },
  {
    usage: 'expiring',
    says: 'Lists the keys and secrets that expire in the next 14 days (the view expiring_api_keys).',
    list: "select * from expiring_api_keys where expires_at < present() + interval '14 days'",
    columns: [...KEY, 'expires', 'prefix', 'expires_at'],
    empty: 'Nothing expires in the next 14 days.',
  },
  {
    usage: 'deprecated',
    says: 'Lists the keys that called a deprecated operation, with their admitted requests in the range, within the retained hours.',
    options: {
      '--since <time:time-or-ago>': 'such as 30d, or 2027-01-01T00:00:00Z; all hours by default',
      '--until <time:time-or-ago>': 'the end of the time; now by default',
    },
    list: `
      select
        operation, u.api_key_id, k.name, k.plan_id,
        saturated(sum(u.requests)) as requests, min(u.hour) as first_hour, max(u.hour) as last_hour
      from api_key_usage_hours u
      join deprecated_operations using (operation)
      left join api_keys k on k.id = u.api_key_id
      where u.hour >= coalesce(:since::timestamptz, '-infinity')
        and u.hour < least(:until::timestamptz, trusted_until() + interval '1 hour')
        and is_admitted(u.outcome)
      group by operation, u.api_key_id, k.name, k.plan_id
      order by requests desc, u.api_key_id`,
    columns: [...KEY, 'operation', 'requests', 'first_hour', 'last_hour'],
    empty: 'No key called a deprecated operation.',
    examples: ['usage deprecated --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z'],
  },
];
