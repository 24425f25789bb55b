import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { addCommands, bind, type CommandSpec } from './command.js';
import type { CliContext } from './context.js';

describe('a statement with :names', () => {
  it('gets a parameter per name, in order of first use', () => {
    expect(bind('select :b, :a::int, :b', { a: 1, b: undefined })).toEqual({
      text: 'select $1, $2::int, $1',
      values: [undefined, 1],
    });
  });

  it('ignores quotes and casts', () => {
    expect(bind(`select 'HH24:MI', 'it''s :a', x::text, :a`, { a: 1 })).toEqual({
      text: `select 'HH24:MI', 'it''s :a', x::text, $1`,
      values: [1],
    });
  });
});

const add = (spec: CommandSpec): void => addCommands(new Command('plans'), {} as CliContext, [spec]);

it('an argument is shown by its name, and read by its kind', async () => {
  const program = new Command('petstore').exitOverride().configureOutput({ writeErr: () => undefined });
  const usage = 'set-expiry <time:expiry>';
  addCommands(program, {} as CliContext, [{ usage, says: 'Sets it.', run: () => undefined }]);
  expect(program.commands[0]?.usage()).toBe('[options] <time>');
  await expect(program.parseAsync(['set-expiry', 'soon'], { from: 'user' })).rejects.toThrow(
    /'soon' is invalid for argument 'time'\. It must be a valid time/,
  );
});

describe('a command whose statement names what it is not given', () => {
  const spec: CommandSpec = {
    usage: 'rename <plan>',
    says: 'Renames a plan.',
    options: { '--new-id <id>': 'another id' },
    change: 'select rename_plan(:plan, :newId)',
  };
  it.each<Partial<CommandSpec>>([
    { change: 'select rename_plan(:plan, :newid)' },
    { also: 'select :plans' },
    { ask: 'select :yes, :force' },
  ])('keeps the program from starting: %j', (wrong) => {
    expect(() => add(spec)).not.toThrow();
    expect(() => add({ ...spec, ...wrong })).toThrow(/:\w+ is no value of the command/);
  });
});

describe('the stack of a fault in the code', () => {
  const failing: CommandSpec = {
    usage: 'list',
    says: 'Fails.',
    run: () => {
      throw new TypeError('rows is not iterable');
    },
  };

  it.each([
    ['in a group', 'plans', /\n {4}of petstore plans list$/],
    ['of the program', undefined, /\n {4}of petstore list$/],
  ])('names the command %s', async (_where, group, end) => {
    const program = new Command('petstore');
    addCommands(group === undefined ? program : program.command(group), {} as CliContext, [failing]);
    const words = [...(group === undefined ? [] : [group]), 'list'];
    const error = await program.parseAsync(words, { from: 'user' }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ stack: expect.stringMatching(end) });
  });
});
