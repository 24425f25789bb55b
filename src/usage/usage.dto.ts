import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { PerWindow } from '../auth/admission/windows.js';
import { USAGE_DAYS, USAGE_HOURS, USAGE_OUTCOMES, type UsageOutcome } from './hour-counts.js';

/** One window of the calling key as it is after this request. */
@ApiSchema({ description: 'A window of the API key, with this request counted.' })
export class UsageWindow {
  @ApiProperty({ type: 'integer', description: 'The limit of the window.' })
  readonly limit!: number;

  @ApiProperty({ type: 'integer', description: 'The requests remaining in the window.' })
  readonly remaining!: number;

  @ApiProperty({ description: 'When the window resets.' })
  readonly resetsAt!: Date;
}

/** The requests of the calling key on one UTC day. */
@ApiSchema({ description: 'The requests of the API key on a UTC day.' })
export class UsageDay {
  @ApiProperty({ format: 'date' })
  readonly day!: string;

  @ApiProperty({ type: 'integer', description: 'Requests that were admitted.' })
  readonly admitted!: bigint;

  @ApiProperty({
    type: 'integer',
    description: 'Requests that were rejected because of a limit. They do not count against it.',
  })
  readonly refused!: bigint;
}

/** The calling key's requests with one outcome. */
@ApiSchema({ description: 'Requests by operation and outcome.' })
export class UsageHourCount {
  @ApiProperty({ description: 'The `operationId`, or `none` if no path and method matched.' })
  readonly operation!: string;

  @ApiProperty({
    type: 'string',
    description:
      '`success`, `client_error` (4xx) and `server_error` (5xx) of requests that were admitted; `limited` (429), `banned` (429), `suspended` ' +
      '(403), `unauthorized` (revoked or expired) and `undecided` (503, before the key was looked up) of the others. ' +
      'There may be more values later. Before 2.0, `banned` counted suspended requests, too.',
    examples: [...USAGE_OUTCOMES],
  })
  readonly outcome!: UsageOutcome;

  @ApiProperty({ type: 'integer', description: 'The number of requests.' })
  readonly requests!: bigint;
}

/** The requests of the calling key in one hour. */
@ApiSchema({ description: 'The requests of the API key in an hour.' })
export class UsageHour {
  @ApiProperty({ description: 'When the hour began.' })
  readonly hour!: Date;

  @ApiProperty({ type: [UsageHourCount], description: 'Empty if the hour had no requests.' })
  readonly counts!: readonly UsageHourCount[];
}

/** The plan of the calling key, its limits and its usage. */
@ApiSchema({ description: 'The plan of the API key, its limits and its usage.' })
export class Usage implements PerWindow<UsageWindow> {
  @ApiProperty({ description: 'The plan of the key.' })
  readonly plan!: string;

  @ApiProperty()
  readonly minute!: UsageWindow;

  @ApiProperty()
  readonly day!: UsageWindow;

  @ApiProperty({
    required: false,
    description: 'The calendar month in UTC, of keys that have a limit for it.',
  })
  readonly month?: UsageWindow;

  /** A day without a request has zeros. */
  @ApiProperty({
    type: [UsageDay],
    description: `The last ${USAGE_DAYS} UTC days, oldest first.`,
    minItems: USAGE_DAYS,
    maxItems: USAGE_DAYS,
  })
  readonly days!: readonly UsageDay[];

  @ApiProperty({
    type: [UsageHour],
    description: `The last ${USAGE_HOURS} hours, oldest first, by operation and outcome. Unlike \`minute\`, \`day\` and \`days\`, they may lack the requests of the last 10 seconds.`,
    minItems: USAGE_HOURS,
    maxItems: USAGE_HOURS,
  })
  readonly hours!: readonly UsageHour[];
}

/** A key in its first hour, on the day of the interface. */
export const USAGE_EXAMPLE: Usage = {
  plan: 'pro',
  minute: { limit: 300, remaining: 288, resetsAt: new Date('2026-11-20T09:31:00Z') },
  day: { limit: 10_000, remaining: 9_871, resetsAt: new Date('2026-11-21T00:00:00Z') },
  days: Array.from({ length: USAGE_DAYS }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 21 + index)).toISOString().slice(0, 10);
    const isToday = index === USAGE_DAYS - 1;
    return { day, admitted: isToday ? 129n : 0n, refused: isToday ? 2n : 0n };
  }),
  hours: Array.from({ length: USAGE_HOURS }, (_, index) => ({
    hour: new Date(Date.UTC(2026, 10, 19, 10 + index)),
    counts:
      index === USAGE_HOURS - 1
        ? [
            { operation: 'createPet', outcome: 'client_error', requests: 4n },
            { operation: 'listPets', outcome: 'limited', requests: 2n },
            { operation: 'listPets', outcome: 'success', requests: 125n },
          ]
        : [],
  })),
};
