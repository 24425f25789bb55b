import { type Command, Option } from 'commander';
import { stringify } from 'lossless-json';
import type { Client } from 'pg';
import { dayCount, examples, type JsonOption, positiveInteger } from '../arguments.js';
import type { CliContext } from '../context.js';
import { addKeyCommand, findKeyId, type KeyOverview, type KeyReference, overviewOf } from '../key-command.js';
import { right, type Row, shown, toFacts, toJson, toRowTable, toTable, writeTo } from '../output.js';
import { withDatabase } from '../session.js';

interface ListOptions extends JsonOption {
  readonly plan?: string;
  readonly state?: string;
  readonly name?: string;
  readonly limit?: number;
}

const STATES = ['live', 'suspended', 'banned', 'expired', 'revoked', 'unissued'];

/** As many as people read at once; scripts get all unless they say otherwise. */
const SHOWN_MAX = 100;

/** As `GET /v1/usage` returns. */
const DAYS = 31;

export function addKeyReadCommands(keys: Command, context: CliContext): void {
  keys
    .command('list')
    .description('Keys by id, as the view api_key_overview has them at this instant.')
    .option('--plan <plan>', 'only those of a plan')
    .addOption(new Option('--state <state>', 'only those of a state').choices(STATES))
    .option('--name <part>', 'only those with this in their name, in any case')
    .option('--limit <keys>', `at most so many; without --json ${SHOWN_MAX} unless given`, positiveInteger)
    .option('--json', 'print an array')
    .action((options: ListOptions) =>
      withDatabase(context, ({ client }) =>
        options.json === true ? printArray(context, client, options) : printTable(context, client, options),
      ),
    )
    .addHelpText(
      'after',
      examples(
        'petstore keys list --name acme',
        'petstore keys list --state banned',
        "petstore keys list --json | jq -r '.[] | select(.day_refused > 100) | .name'",
      ),
    );

  addKeyCommand(keys, 'show', 'One key with its limits, state, use and secrets, at this instant.')
    .option('--json', 'print one object, with an array of its secrets as secret_list')
    .action(async (reference: KeyReference, { json }: JsonOption) => {
      const { key, secrets } = await withDatabase(context, async ({ client }) => {
        const found = await overviewOf(client, await findKeyId(client, reference));
        const { rows } = await client.query<Row>(
          'select prefix, created_at, expires_at from api_key_secrets where api_key_id = $1 order by created_at',
          [found.id],
        );
        return { key: found, secrets: rows };
      });
      if (json === true) context.print(toJson({ ...key, secret_list: secrets }));
      else context.print(`${toFacts(key)}\n${toRowTable(['prefix', 'created_at', 'expires_at'], secrets)}`);
    })
    .addHelpText('after', examples('petstore keys show 7', 'petstore keys show psk_Zx81Qp0a'));

  addKeyCommand(
    keys,
    'usage',
    'Requests of a key by UTC day, the present one last; days without any are left out.',
  )
    .addOption(
      new Option('--days <days>', 'how many, the present one included').argParser(dayCount).default(DAYS),
    )
    .option('--json', 'print an array')
    .action(async (reference: KeyReference, { days, json }: JsonOption & { readonly days: number }) => {
      const { rows } = await withDatabase(context, async ({ client }) => {
        const { id } = await overviewOf(client, await findKeyId(client, reference));
        return await client.query<Row>(
          `select day, admitted, refused
           from api_key_daily_usage
           where api_key_id = $1 and day > (statement_timestamp() at time zone 'UTC')::date - $2::int
           order by day`,
          [id, days],
        );
      });
      context.print(
        json === true ? toJson(rows) : toRowTable(['day', right('admitted'), right('refused')], rows),
      );
    })
    .addHelpText('after', examples('petstore keys usage 7', 'petstore keys usage 7 --days 400 --json'));
}

const LIST_COLUMNS = [
  right('id'),
  'name',
  'prefix',
  'plan',
  'state',
  right('this minute'),
  right('today'),
  right('refused today'),
  'last used',
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

async function printTable(context: CliContext, client: Client, options: ListOptions): Promise<void> {
  const limit = options.limit ?? SHOWN_MAX;
  const found: KeyOverview[] = [];
  // One more than is shown tells whether there are more.
  for await (const page of pages(client, { ...options, limit: limit + 1 })) found.push(...page);
  context.print(toTable(LIST_COLUMNS, found.slice(0, limit).map(cells)));
  if (found.length > limit) {
    context.print(`There are more: give --name, --plan or --state, or a higher --limit than ${limit}.\n`);
  }
}

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

/** Uses a cursor: with a statement for each page, the database would read all counters again for each of them. */
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
    [plan, state, name, limit],
  );
  for (;;) {
    const { rows } = await client.query<KeyOverview>(`fetch ${PAGE_SIZE} from listed`);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) break;
  }
  await client.query('commit');
}
