import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createEmptyDatabase } from '../../test/support/database.js';
import { readSql } from './sql-text.js';

const shapes = (sql: string): string[] =>
  readSql(sql).statements.map(({ tokens }) => tokens.map(({ text }) => text).join(' '));

describe('readSql', () => {
  it.each<[string, string, readonly string[]]>([
    ['statements', 'SELECT 1; select 2;\n\n;', ['select 1', 'select 2']],
    ['a last one without its semicolon', 'select 1; select 2', ['select 1', 'select 2']],
    ['strings with semicolons', `select 'it''s; so'; select 2`, [`select it's; so`, 'select 2']],
    ['strings with escapes', String.raw`select E'a\';b'; select 2`, [String.raw`select a\';b`, 'select 2']],
    ['strings that keep backslashes', String.raw`select 'a\'; select 2`, ['select a\\', 'select 2']],
    ['strings between dollars', 'do $$ a; $x$ b; $$; select $x$;$$;$x$', ['do  a; $x$ b; ', 'select ;$$;']],
    ['no parameter for a string', 'select $1; select $2', ['select $ 1', 'select $ 2']],
    ['quoted names', 'alter table "a;""B" add c int', ['alter table a;"B add c int']],
    ['comments to the end of the line', 'select 1 -- one; two\n+ 1; -- three', ['select 1 + 1']],
    ['comments within comments', 'select /* a; /* b; */ c; */ 1; select 2', ['select 1', 'select 2']],
    ['a comment without an end', 'select 1; /* select 2; ', ['select 1']],
    [
      'rules of several statements',
      'create rule r as on insert to t do (delete from a; delete from b); select 1',
      ['create rule r as on insert to t do ( delete from a ; delete from b )', 'select 1'],
    ],
    [
      'bodies that are no text',
      'create function f() returns int begin atomic select 1; select case when true then 2 end; end; select 3',
      [
        'create function f ( ) returns int begin atomic select 1 ; select case when true then 2 end ; end',
        'select 3',
      ],
    ],
    ['transactions', 'begin; select 1; end', ['begin', 'select 1', 'end']],
    ['names of other languages', 'select größe, 猫 from Ärger', ['select größe , 猫 from ärger']],
    ['numbers and casts', "select 1.5e-3::text, '{}'::int[]", ['select 1.5e-3 :: text , {} :: int [ ]']],
  ])('tells %s apart', (_what, sql, expected) => {
    expect(shapes(sql)).toEqual(expected);
  });

  it('knows the line of statements, tokens and comments', () => {
    const { statements, comments } = readSql('-- one\nselect $$\n\n$$,\n  2; -- five\nselect 3');
    expect(comments).toEqual([
      { text: '-- one', line: 1 },
      { text: '-- five', line: 5 },
    ]);
    expect(statements.map(({ line, endLine }) => [line, endLine])).toEqual([
      [2, 5],
      [6, 6],
    ]);
    expect(statements[0]?.tokens.at(-1)).toEqual({ kind: 'number', text: '2', line: 5 });
  });

  it('divides the migrations as PostgreSQL does', async () => {
    const database = await createEmptyDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    for (const name of readdirSync('prisma/migrations')
      .filter((one) => /^\d/.test(one))
      .sort()) {
      const sql = readFileSync(`prisma/migrations/${name}/migration.sql`, 'utf8');
      const answer: unknown = await client.query(sql);
      const count = Array.isArray(answer) ? answer.length : 1;
      expect([name, readSql(sql).statements.length]).toEqual([name, count]);
    }
    await client.end();
    await database.drop();
  });
});
