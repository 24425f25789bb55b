import { type Command, Option } from 'commander';
import { stringify } from 'lossless-json';
import type { Client } from 'pg';
import { positiveInteger } from '../arguments.js';
import type { KeyOverview } from '../change-key.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import { type Column, shown, toTable, writeTo } from '../output.js';
import { withDatabase } from '../session.js';

const STATES = ['live', 'suspended', 'banned', 'expired', 'revoked', 'unissued'] as const;

interface ListOptions {
  readonly plan?: string;
  readonly state?: string;
  readonly name?: string;
  readonly limit?: number;
  readonly json?: true;
}

/** What people read at once; scripts get all unless they say otherwise. */
const SHOWN_MAX = 100;

export function addKeysListCommand(keys: Command, context: CliContext): void {
  const list = keys
    .command('list')
    .description('Keys by id, as the view api_key_overview has them at this instant.')
    .option('--plan <plan>', 'only those of a plan')
    .addOption(new Option('--state <state>', 'only those of a state').choices(STATES))
    .option('--name <part>', 'only those with this in their name, in any case')
    .option('--limit <keys>', `at most so many; without --json ${SHOWN_MAX} unless given`, positiveInteger)
    .option('--json', 'print an array')
    .action(async (options: ListOptions) => {
      await withDatabase(context, ({ client }) =>
        options.json === true ? printArray(context, client, options) : printTable(context, client, options),
      );
    });
  addExamples(
    list,
    'petstore keys list --name acme',
    'petstore keys list --state banned',
    "petstore keys list --json | jq -r '.[] | select(.day_refused > 100) | .name'",
  );
}

async function printTable(context: CliContext, client: Client, options: ListOptions): Promise<void> {
  const limit = options.limit ?? SHOWN_MAX;
  const found: KeyOverview[] = [];
  // One more than is shown tells whether there are more.
  for await (const page of pages(client, { ...options, limit: limit + 1 })) found.push(...page);
  context.print(toTable(COLUMNS, found.slice(0, limit).map(cells)));
  if (found.length > limit) {
    context.print(`There are more: give --name, --plan or --state, or a higher --limit than ${limit}.\n`);
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'id', align: 'right' },
  { title: 'name' },
  { title: 'prefix' },
  { title: 'plan' },
  { title: 'state' },
  { title: 'this minute', align: 'right' },
  { title: 'today', align: 'right' },
  { title: 'refused today', align: 'right' },
  { title: 'last used' },
];

const cells = (key: KeyOverview): readonly string[] => [
  shown(key.id),
  shown(key.name),
  shown(key.prefix),
  shown(key['plan_id']),
  shown(key['state']),
  `${shown(key['minute_admitted'])}/${shown(key['requests_per_minute'])}`,
  `${shown(key['day_admitted'])}/${shown(key['requests_per_day'])}`,
  shown(key['day_refused']),
  shown(key['last_used_at']),
];

/** Written page by page, so that a million keys need no more memory than a thousand. */
async function printArray(context: CliContext, client: Client, options: ListOptions): Promise<void> {
  let separator = '[';
  for await (const page of pages(client, options)) {
    const text = page.map((key) => `\n${stringify(key) ?? ''}`).join(',');
    await writeTo(context.stdout, separator + text);
    separator = ',';
  }
  await writeTo(context.stdout, separator === '[' ? '[]\n' : '\n]\n');
}

const PAGE_SIZE = 1000;

/**
 * By a cursor, in one statement: page by page from an id on, the database would read the counters from the beginning for
 * each page.
 */
async function* pages(
  client: Client,
  { plan, state, name, limit }: ListOptions,
): AsyncGenerator<readonly KeyOverview[]> {
  await client.query('begin read only');
  await client.query(
    `declare listed no scroll cursor for
     select *
     from api_key_overview
     where ($1::text is null or plan_id = $1)
       and ($2::text is null or state = $2)
       and ($3::text is null or strpos(lower(name), lower($3)) > 0)
     order by id
     limit $4`,
    [plan ?? null, state ?? null, name ?? null, limit ?? null],
  );
  for (;;) {
    const { rows } = await client.query<KeyOverview>(`fetch ${PAGE_SIZE} from listed`);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) break;
  }
  await client.query('commit');
}
