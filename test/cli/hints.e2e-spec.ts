import { beforeAll, describe, expect, it } from '@jest/globals';
import { usePetstore } from './support/use-petstore.js';

const { petstore, query, issue } = usePetstore();

describe('hints say what to do in SQL and at the command line', () => {
  beforeAll(async () => {
    await issue();
  });

  it.each([
    ['keys show 5000', 'petstore keys list --name acme'],
    ['keys suspend 1 --until 2020-01-01T00:00:00Z', 'petstore keys resume ID'],
    ['keys set-plan 1 enterprise', '--per-minute and --per-day of a command'],
    ['keys set-expiry 1 2020-01-01T00:00:00Z', 'petstore keys revoke 1'],
    ['keys extend-overlap 1 --overlap 1h', 'petstore keys rotate ID'],
    [
      'keys issue --name x --plan free --expires 2020-01-01T00:00:00Z',
      'leave it out for a key that does not expire',
    ],
    ['plans create free --per-minute 5 --per-day 5', 'petstore plans set'],
    ['plans create new --per-minute 5', '--custom'],
    ['plans set gold --per-minute 5', 'petstore plans create'],
    ['plans set enterprise --per-minute 5', 'petstore keys set-limits'],
  ])('%s', async (command, hint) => {
    const { code, stderr } = await petstore(command.split(' '));
    expect(code).toBe(1);
    const [, said] = stderr.split('\n');
    expect(said).toContain(hint);
  });

  it('the end of a suspension is given once', async () => {
    const options = '--until 2099-01-01T00:00:00Z --for 1h';
    const { code, stderr } = await petstore(`keys suspend 1 ${options}`.split(' '));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("'--for <duration>' cannot be used with option '--until <time>'"),
    });
  });

  it('each command that a hint names exists', async () => {
    const { rows } = await query<{ text: string }>(
      `select prosrc as text from pg_proc where pronamespace = 'public'::regnamespace
       union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
    );
    const named = rows.flatMap(({ text }) => text.match(/petstore (?:keys|plans) [a-z-]+/g) ?? []);
    const commands = [...new Set(named)];
    expect(commands.length).toBeGreaterThan(8);
    for (const command of commands) {
      const { code, stdout } = await petstore([...command.split(' ').slice(1), '--help']);
      expect({ command, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Usage: ${command}`),
      });
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
