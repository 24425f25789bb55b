import { Argument, type Command, Option } from 'commander';
import type { Client, QueryConfig } from 'pg';
import type { Row } from '../database/statement.js';
import { CliError, UsageError } from './cli-error.js';
import { type CliContext, confirm } from './context.js';
import { first, printAll, printRow, printRows, toJsonArray } from './output.js';
import { type KeyReference, PLACEHOLDERS } from './placeholders.js';
import { changeDatabase, firstRows, queryOne, streamRows, withDatabase } from './session.js';

/** A command's input: the values of its arguments and options, by camel-case name. */
export interface Values extends Readonly<Record<string, unknown>> {
  readonly json?: true;
  readonly yes?: true;
  readonly limit?: number | undefined;
  readonly dryRun?: true;
}

/** A statement whose rows are listed: for people as a table, with `--json` as they are. */
interface List {
  /** `:name` is a value, `:key` the id of the key, `:now` the time of this machine. */
  readonly list: string;
  /** `title`, `title=member` or `title=member/member`. */
  readonly columns: readonly string[];
  /** The message for no rows; `:name` is a value. */
  readonly empty: string;
  /** A statement that must return rows; otherwise a typo would list nothing. */
  readonly needs?: { readonly sql: string; readonly otherwise: readonly [message: string, hint: string] };
  /** A noun for rows; keys by default. */
  readonly of?: string;
  /** Printed below rows. */
  readonly note?: string;
  /** The rows as people see them. */
  readonly people?: (rows: readonly Row[]) => readonly Row[];
}

/** A statement that changes something and returns one row. */
interface Change {
  readonly change: string;
  /** A second statement, which sees the change. Its members are printed as well. */
  readonly also?: string;
  /** A statement that returns a question to confirm before the change, or no row. */
  readonly ask?: string;
  /** What `--dry-run` lists, instead of the change. */
  readonly dryRun?: List;
}

interface Run {
  readonly run: (context: CliContext, values: Values) => void | Promise<void>;
}

export interface OptionSpec {
  readonly says: string;
  readonly isRequired?: true;
  /** As it would be typed. */
  readonly byDefault?: string;
  readonly conflicts?: string;
}

export type CommandSpec = (List | Change | Run) & {
  /** `rotate <key>`: PLACEHOLDERS defines how the name in brackets, or after a colon, is parsed: `<time:expiry>` is shown as `<time>`. */
  readonly usage: string;
  readonly says: string;
  /** By their flags, such as `--overlap <duration>`. */
  readonly options?: Readonly<Record<string, OptionSpec | string>>;
  readonly examples?: readonly string[];
  /** Reports invalid combinations of valid values. */
  readonly check?: (values: Values) => string | false;
  readonly isHidden?: true;
  /** Commander-specific settings. */
  readonly configure?: (command: Command) => unknown;
};

/** Adds commands to a group of them. */
export function addCommands(group: Command, context: CliContext, specs: readonly CommandSpec[]): void {
  for (const spec of specs) {
    const [name = '', ...words] = spec.usage.split(' ');
    const command = group.command(name, { hidden: spec.isHidden === true }).description(spec.says);
    for (const word of words) command.addArgument(toArgument(word));
    for (const [flags, option] of Object.entries({ ...spec.options, ...commonOptions(spec) }))
      command.addOption(toOption(flags, typeof option === 'string' ? { says: option } : option));
    const none = valuesOf(command, []);
    for (const statement of statementsOf(spec)) bind(statement, none);
    const usage = group.parent === null ? spec.usage : `${group.name()} ${spec.usage}`;
    const examples = spec.examples ?? [usage.replace('<key>', '7')];
    command.addHelpText('after', ['\nExamples:', ...examples].join('\n  petstore '));
    spec.configure?.(command);
    command.action(async () => {
      try {
        await act(context, spec, valuesOf(command, command.processedArgs));
      } catch (error) {
        // The stack trace does not show the command.
        if (error instanceof Error) error.stack += `\n    of petstore ${usage}`;
        throw error;
      }
    });
  }
}

/** All values of a command by name; undefined if not given. */
function valuesOf(command: Command, given: readonly unknown[]): Values {
  const named = command.registeredArguments.map((argument, index) => [
    argument.name().replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    given[index],
  ]);
  const options = command.options.map((option) => [option.attributeName(), undefined]);
  return { key: undefined, now: undefined, ...Object.fromEntries([...options, ...named]), ...command.opts() };
}

/** The statements that the engine sends for a command. */
export const statementsOf = (spec: CommandSpec): readonly string[] =>
  [
    ...('list' in spec ? [spec.list, spec.needs?.sql] : []),
    ...('change' in spec ? [spec.change, spec.also, spec.ask, spec.dryRun?.list] : []),
  ].filter((statement) => statement !== undefined);

const commonOptions = (spec: CommandSpec): Record<string, string> => ({
  ...('list' in spec && { '--limit <rows>': 'at most this many (default 100; with --json, all)' }),
  ...('dryRun' in spec && { '--dry-run': 'change nothing, and list what the change would do' }),
  ...('ask' in spec && { '--yes': 'do not ask for confirmation' }),
  '--json': `print ${'list' in spec ? 'an array of objects' : 'JSON'}`,
});

const placeholderOf = (text: string): string => /[<[](?:.*:)?([^\]>.]+)/.exec(text)?.[1] ?? '';

const withoutKind = (text: string): string => text.replace(/:[^\]>]+/, '');

function toArgument(word: string): Argument {
  const { says, choices, parse } = PLACEHOLDERS[placeholderOf(word)] ?? {};
  const argument = new Argument(withoutKind(word), says);
  if (parse !== undefined) argument.argParser(parse);
  return choices === undefined ? argument : argument.choices(choices);
}

function toOption(flags: string, { says, isRequired, byDefault, conflicts }: OptionSpec): Option {
  const { choices, parse } = PLACEHOLDERS[placeholderOf(flags)] ?? {};
  const option = new Option(withoutKind(flags), says).makeOptionMandatory(isRequired === true);
  if (parse !== undefined) option.argParser(parse);
  if (choices !== undefined) option.choices(choices);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return byDefault === undefined ? option : option.default(parse?.(byDefault) ?? byDefault, byDefault);
}

async function act(context: CliContext, spec: CommandSpec, given: Values): Promise<void> {
  const wrong = spec.check?.(given) ?? false;
  if (wrong !== false) throw new UsageError(wrong);
  if (isReversed(given)) throw new UsageError('--since must be before --until.');
  if ('run' in spec) return await spec.run(context, given);
  if ('list' in spec) return await printList(context, spec, given);
  const { change, also, ask, dryRun } = spec;
  if (given.dryRun === true && dryRun !== undefined) return await printList(context, dryRun, given);
  if (ask !== undefined && given.yes !== true) {
    // Not in the change's transaction: users are slow.
    const { rows } = await withDatabase(context, async ({ client }) =>
      client.query<{ question: string }>(bind(ask, await withKey(client, given))),
    );
    if (rows[0] !== undefined) await confirm(context, rows[0].question);
  }
  const row = await changeDatabase(context, async (client) => {
    const values = await withKey(client, given);
    const changed = await queryOne(client, bind(change, values));
    return also === undefined ? changed : { ...changed, ...(await queryOne(client, bind(also, values))) };
  });
  printRow(context, given.json, row);
}

/** An empty list for a reversed range would be misleading. */
const isReversed = ({ since, until }: Values): boolean =>
  since instanceof Date && until instanceof Date && since >= until;

/** The default `--limit` of tables; scripts get all rows. */
const SHOWN_MAX = 100;

const printList = (
  context: CliContext,
  { list, columns, empty, needs, of = 'keys', note, people }: List,
  given: Values,
): Promise<void> =>
  withDatabase(context, async ({ client }) => {
    const values = { ...(await withKey(client, given)), now: new Date(context.nowMs()) };
    const said = (text: string): string =>
      text.replaceAll(/:(\w+)/g, (_, name: string) => String(given[name]));
    if (needs !== undefined && (await client.query(bind(needs.sql, values))).rowCount === 0)
      throw new CliError(said(needs.otherwise[0]), needs.otherwise[1]);
    const { limit = given.json === true ? Infinity : SHOWN_MAX } = given;
    const statement = bind(list, values);
    if (given.json === true) {
      const rows = streamRows(client, statement, limit === Infinity);
      return await printAll(context, toJsonArray(first(rows, limit)));
    }
    // One more row than shown tells if there are more.
    const { rows, numbers } = await firstRows(client, statement, limit + 1);
    const isMore = rows.splice(limit).length > 0;
    printRows(context, columns, people?.(rows) ?? rows, said(empty), numbers);
    if (isMore) context.print(`Only the first ${limit} ${of} are shown: raise --limit, or filter.\n`);
    if (note !== undefined) context.print(`${note}\n`);
  });

/**
 * Binds `:name` in a statement, outside quotes, to a value, as in psql; null if not given.
 *
 * @throws Error if no value has the name
 */
export function bind(text: string, values: Values): QueryConfig {
  const names: string[] = [];
  const bound = text.replaceAll(/'[^']*'|(?<!:):([a-z]\w*)/gi, (quoted, name: string | undefined) => {
    if (name === undefined) return quoted;
    if (!(name in values)) throw new Error(`:${name} is no value of the command: ${text}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: bound, values: names.map((name) => values[name]) };
}

/** The values, with the key resolved to its id. */
export async function withKey(client: Client, values: Values): Promise<Values> {
  const key = values['key'] as KeyReference | undefined;
  return key === undefined ? values : { ...values, key: await findKeyId(client, key) };
}

/** @throws CliError when no key, or more than one, has the prefix; DatabaseError with a hint when none has the id */
export async function findKeyId(client: Client, reference: KeyReference): Promise<bigint> {
  if ('id' in reference) {
    await client.query('select from api_key_overview_of($1)', [reference.id]);
    return reference.id;
  }
  const { rows } = await client.query<{ id: bigint }>(
    'select distinct api_key_id as id from api_key_secrets where prefix = $1 order by id',
    [reference.prefix],
  );
  const [one, ...others] = rows.map(({ id }) => id);
  if (one === undefined)
    throw new CliError(
      `No key begins with ${reference.prefix}.`,
      'To find a key: petstore keys list --name acme',
    );
  if (others.length === 0) return one;
  throw new CliError(
    `${rows.length} keys begin with ${reference.prefix}.`,
    `Use the id instead: ${[one, ...others].join(', ')}.`,
  );
}
