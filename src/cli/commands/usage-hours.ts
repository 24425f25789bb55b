import type { Command } from 'commander';
import { shown } from '../../monitoring/text.js';
import { examples, since } from '../arguments.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { addKeyCommand, findKeyId, type KeyReference, overviewOf } from '../key-command.js';
import { column, printRows, toJson } from '../output.js';
import { withDatabase } from '../session.js';
import { BY_HOUR, firstHour, OUTCOMES, SINCE, type SinceOption, sparkLinesOf } from '../usage-rows.js';
import { HOUR_MS } from '../../usage/hour-counts.js';

interface UntilOption extends SinceOption {
  readonly until?: Date;
}

export function addHoursCommand(usage: Command, context: CliContext): void {
  addKeyCommand(
    usage,
    'hours',
    'Shows the outcomes of the requests of a key, by hour and by operation. Hours are shown whole, and times without requests, too.',
  )
    .option(...SINCE)
    .option('--until <time>', 'the end of the time, such as 2027-01-31T15:00:00Z; now by default', since)
    .action(async (reference: KeyReference, { since: from, until, json }: UntilOption) => {
      const untilMs = until === undefined ? context.nowMs() : until.getTime() - 1;
      const first = firstHour(from, untilMs);
      const { rows } = await withDatabase(context, async ({ client }) => {
        const { id } = await overviewOf(client, await findKeyId(client, reference));
        return await client.query<HourRow>(HOURS, [id, first.toISOString(), new Date(untilMs).toISOString()]);
      });
      if (json === true) return context.print(toJson(rows));
      if (rows.length === 0) return context.print('No requests.\n');
      const lines = withSilence(sumUp(rows, 'hour'), first.getTime(), untilMs);
      printRows(context, [column('hour'), ...OUTCOMES], lines, '');
      context.print('\n');
      const operations = sumUp(
        rows,
        'operation',
        sparkLinesOf(rows, ({ operation }) => operation, from, untilMs),
      );
      printRows(context, [column('operation'), BY_HOUR, ...OUTCOMES], operations, '');
    })
    .addHelpText(
      'after',
      examples(
        'petstore usage hours 7',
        'petstore usage hours psk_8QvR2mXa --since 7d',
        'petstore usage hours 7 --since 2027-01-31T14:00:00Z --until 2027-01-31T15:00:00Z',
      ),
    );
}

const HOURS = `
  select hour, operation, outcome, requests, mean_ms
  from api_key_hourly_usage
  where api_key_id = $1
    and hour between $2 and $3
  order by hour, operation, outcome`;

interface HourRow extends Row {
  readonly hour: string;
  readonly operation: string;
  readonly outcome: string;
  readonly requests: bigint;
}

/** The outcomes of all rows with the same hour or operation, in their order. */
function sumUp(
  rows: readonly HourRow[],
  by: 'hour' | 'operation',
  lines: ReadonlyMap<unknown, string> = new Map(),
): readonly Row[] {
  const sums = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const sum = sums.get(row[by]) ?? { [by]: row[by], over_time: lines.get(row[by]) };
    sum[row.outcome] = ((sum[row.outcome] as bigint | undefined) ?? 0n) + row.requests;
    sums.set(row[by], sum);
  }
  return [...sums.values()];
}

/** Rows by hour, in their order, with one for each time without requests before, between and after them. */
function withSilence(rows: readonly Row[], fromMs: number, untilMs: number): readonly Row[] {
  const lines: Row[] = [];
  let nextMs = fromMs;
  const addSilence = (endMs: number): void => {
    const hours = Math.ceil((endMs - nextMs) / HOUR_MS);
    const first = shown(new Date(nextMs).toISOString());
    if (hours > 0) lines.push({ hour: hours === 1 ? first : `${first}, ${hours} hours` });
  };
  for (const row of rows) {
    const hourMs = new Date(String(row['hour'])).getTime();
    addSilence(hourMs);
    lines.push(row);
    nextMs = hourMs + HOUR_MS;
  }
  addSilence(untilMs);
  return lines;
}
