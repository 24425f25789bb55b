import { type ClientBase, escapeLiteral } from 'pg';

/**
 * What the statements and the driver rely on. `alter database … set` may say otherwise for the sake of other programs: these are
 * the service's own, set for its roles (deploy/postgres/roles.sh, prisma/roles.sql) and at connect.
 */
export const SESSION_SETTINGS = {
  // The driver reads no other form of time stamps: the times of orders would be empty.
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // Under a stricter isolation, statements that meet fail instead of following one another.
  default_transaction_isolation: 'read committed',
  // From about a million pets on PostgreSQL would compile a list's statement, which takes longer than to run it.
  jit: 'off',
} as const;

/** What a database must have been created with. */
export const SERVER_ENCODING = 'UTF8';

/**
 * SQL of a column that sets them, where a session is one connection's own. A pooler gives its clients other process numbers than
 * the server's: what is set there holds for the next client of the connection, and perhaps never for this one.
 *
 * @param processId the parameter with the number that the connection got: `serverProcessId`
 */
export const setSessionSettings = (processId: `$${number}`): string => `
    case when pg_backend_pid() = ${processId}::int then
      ${Object.entries(SESSION_SETTINGS)
        .map(([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, false)`)
        .join('\n        || ')}
    end`;

/** The number that the server, or the pooler, gave this connection; the types of the driver leave it out. */
export const serverProcessId = (client: ClientBase & { readonly processID?: number | null }): number =>
  client.processID ?? 0;

const PREPARE_SESSION = `select ${setSessionSettings('$1')}`;

/** Gives a connection that was just opened the service's settings. */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(PREPARE_SESSION, [serverProcessId(client)]);
}

/** SQL of a column: their values in this session, for `wrongSettings`. */
export const SETTING_VALUES = `array[${Object.keys(SESSION_SETTINGS)
  .map((name) => `current_setting(${escapeLiteral(name)})`)
  .join(', ')}]`;

export interface WrongSetting {
  readonly name: string;
  readonly value: string;
  readonly wanted: string;
  /** Whether responses may be wrong with it, rather than late. */
  readonly isHarmful: boolean;
}

/** Which of the values that a session has are not the service's, by name. */
export const wrongSettings = (values: readonly string[]): readonly WrongSetting[] =>
  Object.entries(SESSION_SETTINGS).flatMap(([name, wanted], index) => {
    const value = values[index] ?? '';
    const isRight = (EQUIVALENTS[name] ?? new RegExp(`^${wanted}$`)).test(value);
    return isRight ? [] : [{ name, value, wanted, isHarmful: name !== 'jit' }];
  });

export const describeWrongSetting = ({ name, value, wanted }: WrongSetting): string =>
  `${name} is '${value}' instead of '${wanted}'`;

/** Values that are as good: how dates that people write are read makes no difference to the service. */
const EQUIVALENTS: Readonly<Record<string, RegExp>> = {
  DateStyle: /^ISO(?:,|$)/i,
  TimeZone: /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu|Greenwich)$/i,
};
