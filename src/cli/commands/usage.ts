import type { Command } from 'commander';
import { shown } from '../../monitoring/text.js';
import { USAGE_OUTCOMES } from '../../usage/hour-counts.js';
import { examples, type JsonOption, percent } from '../arguments.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { column, numberColumn, printAll, printRows, textColumn, toJson, toJsonArray } from '../output.js';
import { streamRows, withDatabase } from '../session.js';
import {
  BY_HOUR,
  firstHour,
  KEY,
  OUTCOMES,
  SINCE,
  type SinceOption,
  toLine,
  withSparkLines,
} from '../usage-rows.js';
import { addHoursCommand } from './usage-hours.js';
import { addListCommands } from './usage-lists.js';
import { HOUR_MS } from '../../usage/hour-counts.js';

interface NearLimitOptions extends JsonOption {
  readonly above?: number;
  readonly customer?: string;
}

export function addUsageCommands(program: Command, context: CliContext): void {
  const usage = program
    .command('usage')
    .description(
      'Shows what keys have used, by hour (UTC). Outcomes of admitted requests are success, client_error (4xx) and server_error (5xx); ' +
        'those of rejected ones limited, banned (also while suspended), unauthorized (revoked or expired) and undecided (503: no database).',
    );

  usage
    .command('top')
    .option('--json', 'print an array of objects')
    .option(...SINCE)
    .description('Lists the hundred keys with the most requests, rejected ones included.')
    .action(async ({ since: from, json }: SinceOption) => {
      const rows = await withDatabase(context, async ({ client }) => {
        const { rows: keys } = await client.query<Row>(TOP, [firstHour(from, context.nowMs()).toISOString()]);
        return json === true ? keys : await withSparkLines(client, keys, from, context.nowMs());
      });
      if (json === true) return context.print(toJson(rows));
      const columns = [...KEY, numberColumn('requests'), BY_HOUR, ...OUTCOMES];
      printRows(context, columns, rows, 'No requests.');
    })
    .addHelpText('after', examples('petstore usage top', 'petstore usage top --since 7d'));

  addHoursCommand(usage, context);

  usage
    .command('near-limit')
    .description(
      'Lists the keys that have used the most of their minute or day (the view api_keys_near_limit).',
    )
    .option('--above <percent>', 'only those that have used more of one of the two, such as 80', percent)
    .option('--customer <customer>', 'only keys of this customer')
    .option('--json', 'print an array of objects')
    .action(async ({ above, customer, json }: NearLimitOptions) => {
      const from = new Date(context.nowMs() - 24 * HOUR_MS);
      const rows = await withDatabase(context, async ({ client }) => {
        const { rows: keys } = await client.query<Row>(NEAR_LIMIT, [above, customer]);
        return json === true ? keys : await withSparkLines(client, keys, from, context.nowMs());
      });
      if (json === true) return context.print(toJson(rows));
      const columns = [...KEY, numberColumn('minute'), numberColumn('day'), BY_HOUR, column('busiest_hour')];
      printRows(context, columns, rows.map(toNearLine), 'No key.');
    })
    .addHelpText('after', examples('petstore usage near-limit', 'petstore usage near-limit --above 80'));

  usage
    .command('bans')
    .option('--json', 'print an array of objects')
    .option(...SINCE)
    .description('Lists bans, the last one first, with the limits that the keys had (the view recent_bans).')
    .action(async ({ since: from, json }: SinceOption) => {
      await withDatabase(context, async ({ client }) => {
        const values = [from.toISOString()];
        if (json === true) return await printAll(context, toJsonArray(streamRows(client, BANS, values)));
        const { rows } = await client.query<Row>(BANS, values);
        const columns = ['began_at', 'ends_at', 'lifted_at', 'in_force'].map(column);
        const limits = ['minute_limit', 'day_limit'].map(numberColumn);
        printRows(context, [...KEY, ...columns, ...limits], rows.map(toLine), 'No bans.');
      });
    })
    .addHelpText('after', examples('petstore usage bans --since 7d'));

  usage
    .command('customers')
    .option('--json', 'print an array of objects')
    .option(...SINCE)
    .description(
      'Lists the hundred customers with the most requests, rejected ones included, and how many of their keys have used more than 80 % of their day.',
    )
    .action(async ({ since: from, json }: SinceOption) => {
      const first = firstHour(from, context.nowMs()).toISOString();
      const { rows } = await withDatabase(context, ({ client }) => client.query<Row>(CUSTOMERS, [first]));
      if (json === true) return context.print(toJson(rows));
      const columns = [
        textColumn('customer'),
        ...['keys', 'near_limit_keys', 'requests'].map(numberColumn),
        ...OUTCOMES,
      ];
      printRows(context, columns, rows, 'No requests of keys with a customer.');
    })
    .addHelpText('after', examples('petstore usage customers --since 7d'));

  addListCommands(usage, context);
}

const BANS = 'select * from recent_bans where began_at >= $1';

const NEAR_LIMIT = `
  select * from api_keys_near_limit
  where ($1::int is null or greatest(minute_share, day_share) * 100 > $1)
    and ($2::text is null or customer = $2)`;

const TOP = `select api_key_id, name, plan_id, ${['requests', ...USAGE_OUTCOMES].join(', ')} from busiest_api_keys_since($1)`;

const CUSTOMERS = `
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
    where u.hour >= $1
      and u.hour <= trusted_until()
      and k.customer is not null
    group by k.customer
    order by requests desc, k.customer
    limit 100
  ) as used
  cross join lateral (select * from customer_overview o where o.customer = used.customer) as keys
  order by used.requests desc, used.customer`;

const toNearLine = (row: Row): Row => ({
  ...row,
  minute: `${shown(row['minute_admitted'])}/${shown(row['requests_per_minute'])}`,
  day: `${shown(row['day_admitted'])}/${shown(row['requests_per_day'])}`,
});
