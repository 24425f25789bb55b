import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ACTOR, json, type Petstore, petstoreOn } from './support/petstore.js';

let database: TestDatabase;
let petstore: Petstore;

beforeAll(async () => {
  database = await createTestDatabase();
  petstore = petstoreOn(database.url);
});
afterAll(() => database.drop());

const sql = (statements: string, ...args: string[]) => petstore(['sql', statements, ...args]);
const sqlJson = (statements: string): Promise<unknown> => json(sql(statements, '--json'));

describe('petstore sql', () => {
  it('prints a table for each statement that has rows, and what each of the others did', async () => {
    const { code, stdout } = await sql(
      `create temporary table t (id int, name text); insert into t values (1, 'Rex'), (20, null);
       select id, name as "the name" from t order by id; select 1 where false`,
    );
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'CREATE',
      '',
      'INSERT 2',
      '',
      'id  the name',
      '--  --------',
      ' 1  Rex',
      '20',
      '(2 rows)',
      '',
      '?column?',
      '--------',
      '(0 rows)',
      '',
    ]);
  });

  it('gives scripts numbers to the digit, booleans and JSON as such, and everything else as PostgreSQL writes it', async () => {
    expect(
      await sqlJson(
        `select 9223372036854775807 as big, -0.10 as amount, 'NaN'::float8 as none, true as yes, null as nothing,
                '{"id": 9007199254740993, "a": [1]}'::jsonb as doc, '2026-11-20'::date as day, array[1,2] as list;
         update plans set custom = custom`,
      ),
    ).toEqual([
      {
        command: 'SELECT',
        count: 1,
        rows: [
          {
            big: '9223372036854775807',
            amount: -0.1,
            none: 'NaN',
            yes: true,
            nothing: null,
            doc: { id: '9007199254740993', a: [1] },
            day: '2026-11-20',
            list: '{1,2}',
          },
        ],
      },
      { command: 'UPDATE', count: 4, rows: [] },
    ]);
    expect((await sql('select -0.10 as amount', '--json')).stdout).toContain('"amount": -0.10\n');
  });

  it('keeps columns of one name apart', async () => {
    expect(await sqlJson('select 1 as a, 2 as a')).toEqual([
      { command: 'SELECT', count: 1, rows: [{ a: 1, a_2: 2 }] },
    ]);
  });

  it('makes keys as the command does', async () => {
    const { stdout } = await sql(`select * from issue_api_key(name => 'Acme web', plan => 'pro')`);
    expect(stdout).toMatch(/psk_\w{38}/);
  });

  it('undoes all statements when one of them fails, and says on which line', async () => {
    const outcome = await sql(
      `update plans set requests_per_day = 1 where id = 'free';\nselect '🐶';\nselect nothing`,
    );
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'line 3: column "nothing" does not exist\n' });
    expect((await sql('selec')).stderr).toBe('syntax error at or near "selec"\n');
    expect(await sqlJson(`select requests_per_day from plans where id = 'free'`)).toMatchObject([
      { rows: [{ requests_per_day: 1000 }] },
    ]);
  });

  it('tells the hint of the database, and its notices beside the result', async () => {
    expect((await sql('delete from api_keys')).stderr).toBe(
      'keys are revoked, never deleted\nRevoke it: select * from revoke_api_key(id).\n',
    );
    const { stdout, stderr } = await sql(
      `do $$ begin raise notice 'look here' using hint = 'or there'; end $$`,
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'DO\n', stderr: 'NOTICE: look here\nor there\n' });
  });

  it('runs what cannot be in a transaction, alone', async () => {
    expect(await sql('vacuum plans')).toEqual({ code: 0, stdout: 'VACUUM\n', stderr: '' });
    expect(await sql('vacuum plans; select 1')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^VACUUM cannot/),
    });
  });

  it('tells the audit who it was, also within a transaction of its own', async () => {
    await sql(`update plans set requests_per_day = 1001 where id = 'free'`);
    await sql(`begin; update plans set requests_per_day = 1002 where id = 'free'; commit`);
    expect(
      await sqlJson(
        `select distinct actor, application from audit_log where plan_id = 'free' and action = 'update'`,
      ),
    ).toMatchObject([{ rows: [{ actor: ACTOR, application: 'petstore cli' }] }]);
  });

  it('reads statements from standard input, and wants some', async () => {
    expect(await petstore(['sql', '-'], { stdin: 'select 7 as n;\n-- the end\n' })).toMatchObject({
      code: 0,
      stdout: 'n\n-\n7\n(1 row)\n',
    });
    expect(await petstore(['sql', '-'], { stdin: ' \n' })).toMatchObject({ code: 2 });
    expect(await petstore(['sql'])).toMatchObject({ code: 2 });
  });

  it('is no way to send commands to a terminal', async () => {
    expect((await sql(`select e'\\x1b[2J' as "\u001b[1m"`)).stdout).not.toContain('\u001b');
  });
});
