import { beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { explainError } from '../../src/cli/cli-error.js';
import { usePetstore } from './support/use-petstore.js';

const { petstore, query, issue } = usePetstore();

/** What only SQL has: not even a word of it helps at the command line. */
const SQL = /\bselect\b|\bupdate api_keys\b|=>|_api_key|_plan\(|_overview|per_minute|per_day|\bcustom =/;

/** Hints about statements that no command sends. */
const SQL_ALONE =
  /^(?:Null means|To stop the keys of a plan|Move all its keys first|Create another plan|Only|The tables are)/;

describe('hints are commands', () => {
  beforeAll(async () => {
    await issue();
  });

  it.each([
    ['keys show 5000', 'To find a key: petstore keys list --name acme.'],
    ['keys suspend 1 --until 2020-01-01T00:00:00Z', 'To end a suspension: petstore keys resume.'],
    [
      'keys suspend 1 --until 2099-01-01T00:00:00Z --for 1h',
      'Pass one of them, or neither to suspend the key until petstore keys resume.',
    ],
    ['keys set-plan 1 enterprise', 'Set --per-minute and --per-day.'],
    [
      'keys set-expiry 1 2020-01-01T00:00:00Z',
      'Pass a time in the future, or `never`. To end the key now: petstore keys revoke.',
    ],
    [
      'keys extend-overlap 1 --overlap 1h',
      'An expired secret cannot be prolonged. To add a secret: petstore keys rotate.',
    ],
    [
      'keys issue --name x --plan free --expires 2020-01-01T00:00:00Z',
      'Pass a time in the future, or omit --expires.',
    ],
    ['plans create free --per-minute 5 --per-day 5', 'To change it: petstore plans set.'],
    [
      'plans set gold --per-minute 5',
      'To see the plans: petstore plans list. To create one: petstore plans create.',
    ],
    [
      'plans set enterprise --per-minute 5',
      'Set them on its keys: petstore keys set-limits. Or pass --no-custom.',
    ],
  ])('%s', async (command, hint) => {
    const { code, stderr } = await petstore(command.split(' '));
    expect(code).toBe(1);
    const [, said] = stderr.split('\n');
    expect(said).toBe(hint);
  });

  it('those of every function that a command calls', async () => {
    const { rows } = await query<{ body: string }>(
      `select prosrc as body from pg_proc where pronamespace = 'public'::regnamespace and prosrc like '%hint =%'
         and prorettype <> 'trigger'::regtype`,
    );
    const hints = rows.flatMap(({ body }) =>
      Array.from(body.matchAll(/hint = (?:format\(\s*)?'((?:[^']|'')*)'/g), ([, hint = '']) =>
        hint.replaceAll("''", "'"),
      ),
    );
    expect(hints.length).toBeGreaterThan(10);
    for (const hint of hints.filter((one) => !SQL_ALONE.test(one))) {
      const error = new DatabaseError('wrong', 0, 'error');
      error.hint = hint.replace('%s_api_key', 'issue_api_key').replaceAll('%s', '7');
      expect(explainError(error).text).not.toMatch(SQL);
    }
  });

  it.each(['keys delete 7', 'keys rm 7 --force'])(
    'what does not exist names what to do instead: %s',
    async (command) => {
      const { code, stderr } = await petstore(command.split(' '));
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/petstore keys revoke 7/),
      });
    },
  );
});
