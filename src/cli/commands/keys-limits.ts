import type { Command } from 'commander';
import type { Client } from 'pg';
import { ownLimit, positiveInteger } from '../arguments.js';
import { addChangeCommand, call, changeKey } from '../change-key.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import type { KeyReference } from '../key-reference.js';
import type { Row } from '../output.js';

interface SetPlanOptions {
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly json?: true;
}

/** Absent: as it is. */
interface SetLimitsOptions {
  readonly perMinute?: number | 'plan';
  readonly perDay?: number | 'plan';
  readonly json?: true;
}

export function addKeysLimitsCommands(keys: Command, context: CliContext): void {
  const setPlan = addChangeCommand(
    keys,
    'set-plan',
    "Moves a key to another plan, with the plan's limits unless others are given.",
  )
    .argument('<plan>', 'see `petstore plans list`')
    .option(
      '--per-minute <requests>',
      "instead of the plan's number; required on a custom plan",
      positiveInteger,
    )
    .option(
      '--per-day <requests>',
      "instead of the plan's number; required on a custom plan",
      positiveInteger,
    )
    .option('--json', 'print one object')
    .action((key: KeyReference, plan: string, { perMinute, perDay, json }: SetPlanOptions) =>
      changeKey(context, {
        key,
        json: json === true,
        work: (client, id) =>
          call(client, 'set_api_key_plan(id => $1, plan => $2, per_minute => $3, per_day => $4)', [
            id,
            plan,
            perMinute ?? null,
            perDay ?? null,
          ]),
      }),
    );
  addExamples(
    setPlan,
    'petstore keys set-plan 7 business',
    'petstore keys set-plan 7 enterprise --per-minute 5000 --per-day 1000000',
  );

  const setLimits = addChangeCommand(
    keys,
    'set-limits',
    'Gives a key its own limits, or takes them back. What is not given stays as it is.',
  )
    .option('--per-minute <requests>', 'a number, or the word plan for the number of its plan', ownLimit)
    .option('--per-day <requests>', 'a number, or the word plan for the number of its plan', ownLimit)
    .option('--json', 'print one object')
    .action(async (key: KeyReference, { json, ...limits }: SetLimitsOptions) => {
      if (limits.perMinute === undefined && limits.perDay === undefined) {
        throw new UsageError('Give --per-minute, --per-day or both.');
      }
      await changeKey(context, {
        key,
        json: json === true,
        work: (client, id) => setKeyLimits(client, id, limits),
      });
    });
  addExamples(
    setLimits,
    'petstore keys set-limits 7 --per-minute 600',
    'petstore keys set-limits 7 --per-minute plan --per-day plan',
  );
}

interface OwnLimits {
  readonly minute: number | null;
  readonly day: number | null;
}

/** Must be called in a transaction: the row is locked, so that a limit that stays is the one that is there. */
async function setKeyLimits(
  client: Client,
  id: bigint,
  { perMinute, perDay }: SetLimitsOptions,
): Promise<readonly Row[]> {
  const { rows } = await client.query<OwnLimits>(
    `select requests_per_minute as minute, requests_per_day as day
     from api_keys where id = $1
     for no key update`,
    [id],
  );
  const present = rows[0] ?? { minute: null, day: null };
  return await call(client, 'set_api_key_limits(id => $1, per_minute => $2, per_day => $3)', [
    id,
    wanted(perMinute, present.minute),
    wanted(perDay, present.day),
  ]);
}

/** A limit as the database takes it, null for the plan's. */
function wanted(given: number | 'plan' | undefined, present: number | null): number | null {
  if (given === undefined) return present;
  return given === 'plan' ? null : given;
}
