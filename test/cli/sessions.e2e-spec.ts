import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  accept,
  errorResponse,
  hangUp,
  type Reaction,
  silence,
  withFakePostgres,
} from '../support/fake-postgres.js';
import { setHostileSettings } from '../support/hostile-settings.js';
import { runProgram } from '../support/process.js';
import { petstoreOn } from './support/petstore.js';
import { usePetstore } from './support/use-petstore.js';

const { database, petstore, issue } = usePetstore();

beforeAll(async () => {
  await setHostileSettings(database.url);
});

const end: unknown = Reflect.get(pg.Client.prototype, 'end');
afterEach(() => void Reflect.set(pg.Client.prototype, 'end', end));

/** What each session had, when it ended, that it did not begin with. */
function watchSessions(): string[][] {
  const left: string[][] = [];
  Reflect.set(pg.Client.prototype, 'end', async function (this: pg.Client) {
    const { rows } = await this.query<{ name: string }>(
      `select name from pg_settings where source = 'session'
       union all select 'a transaction' from pg_stat_activity where pid = pg_backend_pid() and xact_start < query_start`,
    );
    left.push(rows.map(({ name }) => name));
    await Reflect.apply(end as () => Promise<void>, this, []);
  });
  return left;
}

describe('behind a pooler, which gives the connection to others, a command leaves nothing on it', () => {
  it.each([
    'doctor',
    'keys list',
    'keys show 1',
    'keys set-limits 1 --per-day 5',
    'keys revoke 5000',
    'db migrate',
  ])('%s', async (command) => {
    await issue();
    const left = watchSessions();
    const { stderr } = await petstore(command.split(' '));
    expect(stderr).not.toMatch(/petstore_|undefined/);
    expect(new Set(left.flat())).toEqual(new Set());
    expect(left.length).toBeGreaterThan(0);
  });
});

async function endsWithOne(port: number): Promise<void> {
  const program = runProgram('cli/main.js', ['keys', 'list'], {
    DATABASE_URL: `postgresql://petstore@127.0.0.1:${port}/petstore`,
  });
  expect(await program.ended).toBe(1);
}

describe('a command ends', () => {
  const failing: readonly (readonly [string, readonly Reaction[]])[] = [
    ['the server rejects its first statement', [accept, errorResponse({ C: '57P05' })]],
    ['the server hangs up', [accept, hangUp]],
    [
      'the server never closes the connection',
      [accept, errorResponse({ C: '42501' }), errorResponse({ C: '42501' }), silence],
    ],
  ];
  it.each(failing)('when %s', async (_what, reactions) => {
    await withFakePostgres(reactions, endsWithOne, { neverEnds: true });
  });
});

describe('a server that takes no changes', () => {
  it('says so', async () => {
    const readOnly = petstoreOn(
      `${database.url}${database.url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`,
    );
    expect(await readOnly(['keys', 'issue', '--name', 'Acme', '--plan', 'free'])).toMatchObject({
      code: 1,
      stderr:
        'This server is read only (default_transaction_read_only), so nothing can be changed.\nConnect to the primary.\n',
    });
    expect((await readOnly(['keys', 'list'])).code).toBe(0);
  });
});
