import type { Command } from 'commander';
import type { Client } from 'pg';
import { shown } from '../../monitoring/text.js';
import { USAGE_OUTCOMES } from '../../usage/hour-counts.js';
import { examples, type JsonOption, percent, since } from '../arguments.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { addKeyCommand, findKeyId, type KeyReference, overviewOf } from '../key-command.js';
import {
  column,
  numberColumn,
  printAll,
  printRows,
  sparkLine,
  textColumn,
  toJson,
  toJsonArray,
} from '../output.js';
import { streamRows, withDatabase } from '../session.js';

interface SinceOption extends JsonOption {
  readonly since: Date;
}

interface NearLimitOptions extends JsonOption {
  readonly above?: number;
  readonly customer?: string;
}

interface UntilOption extends SinceOption {
  readonly until?: Date;
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

  addKeyCommand(
    usage,
    'hours',
    'Shows the outcomes of the requests of a key, by hour and by operation. Times without requests are shown, too.',
  )
    .option(...SINCE)
    .option('--until <time>', 'the end of the time, such as 2027-01-31T15:00:00Z; now by default', since)
    .action(async (reference: KeyReference, { since: from, until, json }: UntilOption) => {
      const untilMs = until === undefined ? context.nowMs() : until.getTime() - 1;
      const first = firstHour(from, untilMs);
      const { rows } = await withDatabase(context, async ({ client }) => {
        const { id } = await overviewOf(client, await findKeyId(client, reference));
        return await client.query<HourRow>(HOURS, [id, first.toISOString(), new Date(untilMs).toISOString()]);
      });
      if (json === true) return context.print(toJson(rows));
      if (rows.length === 0) return context.print('No requests.\n');
      const lines = withSilence(sumUp(rows, 'hour'), first.getTime(), untilMs);
      printRows(context, [column('hour'), ...OUTCOMES], lines, '');
      context.print('\n');
      const operations = sumUp(
        rows,
        'operation',
        sparkLinesOf(rows, ({ operation }) => operation, from, untilMs),
      );
      printRows(context, [column('operation'), BY_HOUR, ...OUTCOMES], operations, '');
    })
    .addHelpText(
      'after',
      examples(
        'petstore usage hours 7',
        'petstore usage hours psk_8QvR2mXa --since 7d',
        'petstore usage hours 7 --since 2027-01-31T14:00:00Z --until 2027-01-31T15:00:00Z',
      ),
    );

  usage
    .command('near-limit')
    .description(
      'Lists the keys that have used the most of their minute or day (the view api_keys_near_limit).',
    )
    .option('--above <percent>', 'only those that have used more of one of the two, such as 80', percent)
    .option('--customer <customer>', 'only keys of this customer')
    .option('--json', 'print an array of objects')
    .action(async ({ above, customer, json }: NearLimitOptions) => {
      const from = new Date(context.nowMs() - DAY_MS);
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

  for (const list of LISTS) addList(usage, context, list);
  addCallersCommand(usage, context);
}

/** Lists that a view has. */
const LISTS = [
  {
    command: 'flooding',
    view: 'flooding_api_keys',
    description:
      'Lists the hundred keys with the most rejected requests of this hour and the one before, also during bans',
    empty: 'No request of a key was rejected.',
    columns: [
      ...['rejected', 'limited', 'banned'].map(numberColumn),
      ...['state', 'banned_until'].map(column),
    ],
  },
  {
    command: 'noisy',
    view: 'noisiest_api_keys',
    description: 'Lists the hundred keys with the most rejected requests today',
    empty: 'No request was rejected today.',
    columns: [...['rejected', 'admitted'].map(numberColumn), column('banned_until'), column('last_used_at')],
  },
  {
    command: 'unused',
    view: 'unused_api_keys',
    description: 'Lists the keys that were not used for 90 days',
    empty: 'No key has been unused for 90 days.',
    columns: ['last_used_at', 'created_at', 'expires_at'].map(column),
  },
  {
    command: 'expiring',
    view: `expiring_api_keys where expires_at < present() + interval '14 days'`,
    description: 'Lists the keys and secrets that expire in the next 14 days',
    empty: 'Nothing expires in the next 14 days.',
    columns: ['expires', 'prefix', 'expires_at'].map(column),
  },
];

/** Without `--json`, people get at most so many rows. */
const SHOWN_MAX = 100;

function addList(
  usage: Command,
  context: CliContext,
  { command, view, description, empty, columns }: (typeof LISTS)[number],
): void {
  usage
    .command(command)
    .option('--json', 'print an array of objects, all of them')
    .description(`${description} (the view ${view.split(' ', 1)[0]}).`)
    .action(({ json }: JsonOption) =>
      withDatabase(context, async ({ client }) => {
        const list = `select * from ${view}`;
        if (json === true) return await printAll(context, toJsonArray(streamRows(client, list)));
        const { rows } = await client.query<Row>(`${list} limit ${SHOWN_MAX + 1}`);
        const shownRows = rows.slice(0, SHOWN_MAX).map((row) =>
          toLine({
            api_key_id: row['id'],
            rejected: row['day_refused'],
            admitted: row['day_admitted'],
            ...row,
          }),
        );
        printRows(context, [...KEY, ...columns], shownRows, empty);
        if (rows.length > SHOWN_MAX)
          context.print(`Only the first ${SHOWN_MAX} are shown; --json has all.\n`);
      }),
    )
    .addHelpText('after', examples(`petstore usage ${command}`));
}

interface CallersOptions extends JsonOption {
  readonly since?: Date;
  readonly until?: Date;
}

function addCallersCommand(usage: Command, context: CliContext): void {
  usage
    .command('deprecated')
    .description(
      'Lists the keys that called a deprecated operation, with their admitted requests in the time, of the hours that are kept.',
    )
    .option('--since <time>', 'such as 30d, or 2027-01-01T00:00:00Z; all hours by default', since)
    .option('--until <time>', 'the end of the time; now by default', since)
    .option('--json', 'print an array of objects')
    .action(async ({ since: from, until, json }: CallersOptions) => {
      const span = [from?.toISOString() ?? '-infinity', until?.toISOString() ?? 'infinity'];
      const { rows } = await withDatabase(context, ({ client }) => client.query<Row>(CALLERS, span));
      if (json === true) return context.print(toJson(rows));
      const columns = [
        column('operation'),
        numberColumn('requests'),
        column('first_hour'),
        column('last_hour'),
      ];
      printRows(context, [...KEY, ...columns], rows.map(toLine), 'No key called a deprecated operation.');
    })
    .addHelpText(
      'after',
      examples(
        'petstore usage deprecated',
        'petstore usage deprecated --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z',
      ),
    );
}

const CALLERS = `
  select
    operation, u.api_key_id, k.name, k.plan_id,
    saturated(sum(u.requests)) as requests, min(u.hour) as first_hour, max(u.hour) as last_hour
  from api_key_usage_hours u
  join deprecated_operations using (operation)
  left join api_keys k on k.id = u.api_key_id
  where u.hour >= $1
    and u.hour < least($2, trusted_until() + interval '1 hour')
    and is_admitted(u.outcome)
  group by operation, u.api_key_id, k.name, k.plan_id
  order by requests desc, u.api_key_id`;

const BANS = 'select * from recent_bans where began_at >= $1';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Parts that a spark line has, whatever the time is that it spans. */
const PARTS = 24;

const KEY = [numberColumn('key'), textColumn('name'), column('plan')];
const OUTCOMES = USAGE_OUTCOMES.map(numberColumn);
const BY_HOUR = column('over_time');

const SINCE = [
  '--since <time>',
  'such as 7d, or 2027-01-31T00:00:00Z; 24h by default',
  since,
  since('24h'),
] as const;

const NEAR_LIMIT = `
  select * from api_keys_near_limit
  where ($1::int is null or greatest(minute_share, day_share) * 100 > $1)
    and ($2::text is null or customer = $2)`;

/** The first hour that begins no earlier: of the last day, as in the views, 24 hours with the present one. At the latest the present one. */
const firstHour = (from: Date, nowMs: number): Date =>
  new Date(Math.min(Math.ceil(from.getTime() / HOUR_MS), Math.floor(nowMs / HOUR_MS)) * HOUR_MS);

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

const HOURS = `
  select hour, operation, outcome, requests, mean_ms
  from api_key_hourly_usage
  where api_key_id = $1
    and hour between $2 and $3
  order by hour, operation, outcome`;

const REQUESTS_BY_HOUR = `
  select u.api_key_id, u.hour, saturated(sum(u.requests)) as requests
  from generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') as of_hour
  join api_key_usage_hours u on u.hour = of_hour
  where u.api_key_id = any ($1::bigint[])
  group by u.api_key_id, u.hour`;

interface KeyHourRow extends Row {
  readonly api_key_id: bigint;
  readonly hour: string;
  readonly requests: bigint;
}

interface HourRow extends Row {
  readonly hour: string;
  readonly operation: string;
  readonly outcome: string;
  readonly requests: bigint;
}

/** The outcomes of all rows with the same hour or operation, in their order. */
function sumUp(
  rows: readonly HourRow[],
  by: 'hour' | 'operation',
  lines: ReadonlyMap<unknown, string> = new Map(),
): readonly Row[] {
  const sums = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const sum = sums.get(row[by]) ?? { [by]: row[by], over_time: lines.get(row[by]) };
    sum[row.outcome] = ((sum[row.outcome] as bigint | undefined) ?? 0n) + row.requests;
    sums.set(row[by], sum);
  }
  return [...sums.values()];
}

/** Rows by hour, in their order, with one for each time without requests before, between and after them. */
function withSilence(rows: readonly Row[], fromMs: number, untilMs: number): readonly Row[] {
  const lines: Row[] = [];
  let nextMs = fromMs;
  const addSilence = (endMs: number): void => {
    const hours = Math.ceil((endMs - nextMs) / HOUR_MS);
    const first = shown(new Date(nextMs).toISOString());
    if (hours > 0) lines.push({ hour: hours === 1 ? first : `${first}, ${hours} hours` });
  };
  for (const row of rows) {
    const hourMs = new Date(String(row['hour'])).getTime();
    addSilence(hourMs);
    lines.push(row);
    nextMs = hourMs + HOUR_MS;
  }
  addSilence(untilMs);
  return lines;
}

/** Lines of keys, with their requests over the time as a spark line. */
async function withSparkLines(
  client: Client,
  keys: readonly Row[],
  from: Date,
  nowMs: number,
): Promise<readonly Row[]> {
  const { rows } = await client.query<KeyHourRow>(REQUESTS_BY_HOUR, [
    keys.map((row) => row['api_key_id']),
    firstHour(from, nowMs).toISOString(),
    new Date(nowMs).toISOString(),
  ]);
  const lines = sparkLinesOf(rows, (row) => row.api_key_id, from, nowMs);
  return keys.map((row) => ({ ...toLine(row), over_time: lines.get(row['api_key_id']) }));
}

/** A spark line over the time for each name of rows. */
function sparkLinesOf<Hour extends Pick<HourRow, 'hour' | 'requests'>>(
  rows: readonly Hour[],
  nameOf: (row: Hour) => unknown,
  from: Date,
  nowMs: number,
): ReadonlyMap<unknown, string> {
  const beginMs = firstHour(from, nowMs).getTime();
  const hours = Math.floor((nowMs - beginMs) / HOUR_MS) + 1;
  const hoursAPart = Math.ceil(hours / PARTS);
  const parts = new Map<unknown, number[]>();
  for (const row of rows) {
    const counts = parts.get(nameOf(row)) ?? Array.from({ length: Math.ceil(hours / hoursAPart) }, () => 0);
    const part = Math.floor((new Date(row.hour).getTime() - beginMs) / HOUR_MS / hoursAPart);
    // Not an hour of a clock that is ahead.
    if (part in counts) counts[part] = (counts[part] ?? 0) + Number(row.requests);
    parts.set(nameOf(row), counts);
  }
  return new Map([...parts].map(([name, counts]) => [name, sparkLine(counts)]));
}

const toLine = (row: Row): Row => ({ ...row, key: row['api_key_id'], plan: row['plan_id'] });

const toNearLine = (row: Row): Row => ({
  ...row,
  minute: `${shown(row['minute_admitted'])}/${shown(row['requests_per_minute'])}`,
  day: `${shown(row['day_admitted'])}/${shown(row['requests_per_day'])}`,
});
