import { describe, expect, it } from '@jest/globals';
import { bind, type CommandSpec, statementsOf } from '../../src/cli/command.js';
import { KEY_COMMANDS } from '../../src/cli/commands/keys.js';
import { PLAN_COMMANDS } from '../../src/cli/commands/plans.js';
import { USAGE_COMMANDS } from '../../src/cli/commands/usage.js';
import { SQL_CHECKS } from '../../src/cli/doctor/sql-checks.js';
import { useDatabase } from '../support/use-service.js';

/** The SQL types that a value may have, by its name: those that its form in JavaScript is read as. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  key: ['bigint'],
  ...Object.fromEntries(
    ['perMinute', 'perDay', 'perMonth', 'days', 'above', 'timeout'].map((name) => [name, ['integer']]),
  ),
  ...Object.fromEntries(['overlap', 'for'].map((name) => [name, ['double precision']])),
  ...Object.fromEntries(['readOnly', 'custom', 'isEmbedded'].map((name) => [name, ['boolean']])),
  ...Object.fromEntries(
    ['now', 'since', 'until', 'expires', 'time'].map((name) => [name, ['timestamp with time zone']]),
  ),
  ...Object.fromEntries(['name', 'plan', 'newId', 'customer', 'state'].map((name) => [name, ['text']])),
  access: ['api_key_access'],
};

/** A number, or `plan` or `none`. */
const TEXTS_OF: Readonly<Record<string, readonly string[]>> = {
  'set-limits': ['perMinute', 'perDay', 'perMonth'],
  set: ['perMonth'],
};

/** Every name has a value: itself. */
const NAMES = new Proxy({}, { has: () => true, get: (_target, name) => name });

const COMMANDS: readonly CommandSpec[] = [...KEY_COMMANDS, ...PLAN_COMMANDS, ...USAGE_COMMANDS];

const STATEMENTS: readonly (readonly [command: string, statement: string])[] = [
  ...COMMANDS.flatMap((spec) => statementsOf(spec).map((statement) => [spec.usage, statement] as const)),
  ...Object.values(SQL_CHECKS).map(({ sql }) => ['doctor', sql] as const),
];

describe('the statements of the commands', () => {
  const database = useDatabase(1);

  it.each(STATEMENTS)('%s: %s', async (usage, statement) => {
    const { text, values = [] } = bind(statement, NAMES);
    await database.pool.query(`prepare checked as ${text}`);
    const { rows } = await database.pool.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'checked'`,
    );
    await database.pool.query('deallocate checked');
    const [command = ''] = usage.split(' ');
    const wanted = values.map((name) =>
      TEXTS_OF[command]?.includes(name as string) === true ? ['text'] : TYPES[name as string],
    );
    expect(rows[0]?.types.map((type) => [type])).toEqual(wanted);
  });
});
