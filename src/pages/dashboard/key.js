// Everything about one key, and how to change it.
import { copyButton, element } from './dom.js';
import { column, count, named, number, OUTCOMES, show, table, time, usedOf, when } from './format.js';

/** @typedef {Record<string, any>} Row */

/**
 * What an operator may want, as a command and as SQL.
 * @param {string} id
 * @returns {[to: string, command: string, sql: string][]}
 */
const changesOf = (id) => [
  ['Suspend it for an hour', `suspend ${id} --for 1h`, `suspend_api_key(${id}, lasting => '1 hour')`],
  ['End a suspension', `resume ${id}`, `resume_api_key(${id})`],
  ['Lift its ban', `unban ${id}`, `unban_api_key(${id})`],
  ['Reset its counts of this minute and day', `reset ${id}`, `reset_api_key_usage(${id})`],
  [
    'Give it limits of its own',
    `set-limits ${id} --per-minute 600 --per-day 20000`,
    `set_api_key_limits(${id}, per_minute => 600, per_day => 20000)`,
  ],
  ['Move it to another plan', `set-plan ${id} business`, `set_api_key_plan(${id}, 'business')`],
  ['Rename it', `rename ${id} 'New name'`, `rename_api_key(${id}, 'New name')`],
  ['Set its customer', `set-customer ${id} crm-4711`, `set_api_key_customer(${id}, 'crm-4711')`],
  ['Let it only read', `set-access ${id} read`, `set_api_key_access(${id}, 'read')`],
  ['Rotate its secret', `rotate ${id}`, `rotate_api_key(${id})`],
  ['Revoke it permanently', `revoke ${id}`, `revoke_api_key(${id})`],
];

/**
 * @param {string} title
 * @param {readonly import('./format.js').Column[]} columns
 * @param {readonly any[]} rows
 * @param {string} empty
 */
const listing = (title, columns, rows, empty) =>
  element('section', {}, element('h2', {}, title), table(title, columns, rows, empty));

/** @param {Row} key */
const sinceOf = ({ state, revoked_at: revoked, suspended_until: until }) => {
  if (state === 'revoked') return ` since ${time(revoked)}`;
  if (until === null) return '';
  return `${state === 'suspended' ? '' : ', suspended'} until ${time(until)}`;
};

/** @param {string[]} texts */
const lines = (texts) =>
  element('ul', { class: 'lines' }, ...texts.map((text) => element('li', {}, element('bdi', {}, text))));

/** @param {string} text */
function toCopy(text) {
  const code = element('code', {}, text);
  return element('span', { class: 'copyable' }, code, copyButton(code));
}

const BAN_COLUMNS = [
  when('began', 'began_at'),
  when('ends', 'ends_at'),
  when('lifted', 'lifted_at'),
  column('in force', (row) => (row['in_force'] ? 'yes' : 'no')),
  count('per minute', 'minute_limit'),
  count('per day', 'day_limit'),
  count('per month', 'month_limit'),
];

/**
 * Fills a place with what is known of a key; `chart` is the place for its requests by hour.
 * @param {HTMLElement} place
 * @param {HTMLElement} chart
 * @param {any} view
 * @param {string} back the address of all keys
 */
export function showKey(place, chart, { key, secrets, days, operations, bans, changes }, back) {
  const id = String(key.id);
  const facts = Object.entries({
    state: `${key.state}${sinceOf(key)}`,
    ...(key.customer === null ? {} : { customer: named(key.customer) }),
    plan: `${key.plan_id}${key.own_limits ? ', with limits of its own' : ''}`,
    access: key.access === 'read' ? 'may only read' : 'may read and write',
    'this minute': usedOf(key.minute_admitted, key.requests_per_minute),
    today: usedOf(key.day_admitted, key.requests_per_day),
    ...(key.requests_per_month === null
      ? {}
      : { 'this month': usedOf(key.month_admitted, key.requests_per_month) }),
    'rejected today': number(key.day_refused),
    'last used': time(key.last_used_at),
    created: time(key.created_at),
    expires: time(key.expires_at),
  });
  /** @type {Map<string, Row>} */
  const byOperation = new Map();
  for (const { operation, outcome, requests } of operations) {
    byOperation.set(operation, { operation, ...byOperation.get(operation), [outcome]: Number(requests) });
  }
  const outcomes = Object.entries(OUTCOMES).map(([outcome, title]) => count(title, outcome));
  show(
    place,
    element('p', {}, element('a', { href: back }, '← All keys')),
    element(
      'dl',
      { class: 'facts' },
      ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
    ),
    // The chart goes there once, and stays.
    element('section', { 'data-kept': true }, element('h2', {}, 'Requests by hour (UTC)')),
    listing(
      'By operation, 35 days',
      [column('operation', (row) => row['operation']), ...outcomes],
      [...byOperation.values()],
      'No requests in 35 days.',
    ),
    listing(
      'By day',
      [
        column('day', (row) => row['day']),
        column('admitted', (row) => usedOf(row['admitted'], key.requests_per_day)),
        count('rejected', 'refused'),
      ],
      days.toReversed(),
      'No requests in 31 days.',
    ),
    listing('Bans', BAN_COLUMNS, bans, 'It was never banned.'),
    listing(
      'Changes',
      [
        when('when', 'changed_at'),
        column('change', (row) => `${row['action']} ${row['table_name'] === 'api_keys' ? 'key' : 'secret'}`),
        column('from what to what', (row) => lines(row['members'])),
        column('by', (row) => named(row['by'])),
      ],
      changes,
      'No changes.',
    ),
    listing(
      'Secrets',
      [
        column('prefix', (row) => row['prefix']),
        when('created', 'created_at'),
        when('expires', 'expires_at'),
      ],
      secrets,
      'It has no secrets.',
    ),
    element(
      'details',
      {},
      element('summary', {}, 'Change it: commands and SQL to copy'),
      table(
        'Changes to copy',
        [
          { title: 'to', cell: ([to]) => to },
          { title: 'command', cell: ([, command]) => toCopy(`petstore keys ${command}`) },
          { title: 'SQL', cell: ([, , sql]) => toCopy(`select * from ${sql};`) },
        ],
        changesOf(id),
        '',
      ),
      element('p', {}, 'Who changed what: ', toCopy(`petstore audit ${id}`)),
    ),
  );
  if (!place.contains(chart)) place.querySelector('[data-kept]')?.append(chart);
}

/**
 * The hours of a key as those of all keys: dense, by outcome, for as many hours as the page shows.
 * @param {any[]} rows
 * @param {number} length
 * @param {number} nowMs
 */
export function toOutcomes(rows, length, nowMs) {
  const hour = 3_600_000;
  const first = Math.floor(nowMs / hour) * hour - (length - 1) * hour;
  const outcomes = Object.keys(OUTCOMES).map((outcome) => ({
    outcome,
    requests: Array.from({ length }, () => 0),
  }));
  for (const { hour: at, outcome, requests } of rows) {
    const index = (Date.parse(at) - first) / hour;
    const counts = outcomes.find((one) => one.outcome === outcome)?.requests;
    if (counts !== undefined && index in counts) counts[index] = (counts[index] ?? 0) + Number(requests);
  }
  const hours = Array.from({ length }, (_, index) => new Date(first + index * hour).toISOString());
  return { hours, outcomes, marks: [] };
}
