/** One window of the calling key as it stands after this request. */
export interface UsageWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** What the calling key did on one UTC day. */
export interface UsageDay {
  /** As `2026-11-20`. */
  readonly day: string;
  readonly admitted: bigint;
  readonly refused: bigint;
}

/** The calling key's plan, its limits in force, and what it used. */
export interface Usage {
  readonly plan: string;
  readonly minute: UsageWindow;
  readonly day: UsageWindow;
  /** The last 31 UTC days, the oldest first and today last; a day without a request has noughts. */
  readonly days: readonly UsageDay[];
}

/** A key in its first hour, on the day of the interface. */
export const USAGE_EXAMPLE: Usage = {
  plan: 'pro',
  minute: { limit: 300, remaining: 288, resetsAt: new Date('2026-11-20T09:31:00Z') },
  day: { limit: 10_000, remaining: 9_871, resetsAt: new Date('2026-11-21T00:00:00Z') },
  days: Array.from({ length: 31 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 21 + index)).toISOString().slice(0, 10);
    return index === 30 ? { day, admitted: 129n, refused: 2n } : { day, admitted: 0n, refused: 0n };
  }),
};

const windowSchema = {
  title: 'UsageWindow',
  description: 'A window of the API key, with this request counted.',
  type: 'object',
  properties: {
    limit: { type: 'integer', description: 'The limit of the window.' },
    remaining: { type: 'integer', description: 'The requests remaining in the window.' },
    resetsAt: { type: 'string', format: 'date-time', description: 'When the window resets.' },
  },
  required: ['limit', 'remaining', 'resetsAt'],
};

const usageDaySchema = {
  title: 'UsageDay',
  description: 'The requests of the API key on a UTC day.',
  type: 'object',
  properties: {
    day: { type: 'string', format: 'date' },
    admitted: { type: 'integer', description: 'Requests that were admitted.' },
    refused: {
      type: 'integer',
      description: 'Requests that were rejected because of a limit. They do not count against it.',
    },
  },
  required: ['day', 'admitted', 'refused'],
};

export const usageSchema = {
  title: 'Usage',
  description: 'The plan of the API key, its limits and its usage.',
  type: 'object',
  properties: {
    plan: { type: 'string', description: 'The plan of the key.' },
    minute: windowSchema,
    day: windowSchema,
    days: {
      type: 'array',
      description: 'The last 31 UTC days, oldest first.',
      items: usageDaySchema,
      minItems: 31,
      maxItems: 31,
    },
  },
  required: ['plan', 'minute', 'day', 'days'],
};
