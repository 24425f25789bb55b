import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of columns, arguments and options that operators use. They are released, and each new window has its own. */
const RELEASED =
  /requests_per_\w+|\w+_(?:admitted|refused|limit|share)\b|\bper_(?:minute|day)\b|--per-\w+|highest_\w+/g;

const namesOf = (window: string): RegExp =>
  new RegExp(
    `this_${window}|counts_in_${window}|${window}(?:Limit|Admitted|Refused)|['".]${window}\\b|\\b${window}: |per${window.charAt(0).toUpperCase()}${window.slice(1)}\\b`,
  );

const namesBoth = (file: string): boolean => {
  const text = readFileSync(file, 'utf8').replaceAll(RELEASED, '');
  return namesOf('minute').test(text) && namesOf('day').test(text);
};

/** What has something released for each window, or says of each what it is; and the states of the response table. */
const PLACES = [
  'prisma/sql/comments/api_key_counters.sql',
  'prisma/sql/functions/counts_in_day.sql',
  'prisma/sql/functions/role_rights.sql',
  'prisma/sql/functions/windows_of.sql',
  'prisma/sql/operators/views/api_key_overview.sql',
  'prisma/sql/operators/views/unused_api_keys.sql',
  'src/auth/admission/windows.ts',
  'src/cli/commands/keys.ts',
  'src/cli/commands/usage.ts',
  'src/monitoring/dashboard/queries.ts',
  'src/openapi/headers.ts',
  'src/pages/dashboard/main.js',
  'src/pages/docs/limits.js',
  'src/usage/usage.dto.ts',
  'test/support/http/service-states.ts',
];

/** Tests name windows as examples. */
const files = ['src', 'prisma/sql', 'test/support'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|sql)$/.test(name) && !/generated|\.spec\.ts$/.test(name))
    .map((name) => join(folder, name)),
);

it('windows are listed only where declared or where each has a released name', () => {
  expect(files.filter((file) => namesBoth(file)).toSorted()).toEqual(PLACES);
  expect(files.length).toBeGreaterThan(300);
});
