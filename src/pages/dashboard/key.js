// Everything about one key, and how to change it.
import { pageWith } from './address.js';
import { copyButton, element } from './dom.js';
import {
  badge,
  column,
  count,
  day,
  duration,
  inWords,
  isInstant,
  named,
  number,
  OUTCOMES,
  quiet,
  show,
  table,
  time,
  usedOf,
} from './format.js';

/** @typedef {Record<string, any>} Row */
/** @typedef {[to: string, command: string, sql: string]} ChangeToCopy */

/** @param {string} to @param {string} command @param {string} sql @returns {ChangeToCopy} */
const change = (to, command, sql) => [to, command, sql];

/**
 * What an operator may do, as a command and as SQL: actions for the key's state come first.
 * @param {Row} key
 * @returns {ChangeToCopy[]}
 */
function changesOf({ id, state, plan_id: plan }) {
  const other = plan === 'pro' ? 'business' : 'pro';
  const rotate = change('Rotate its secret', `rotate ${id}`, `rotate_api_key(${id})`);
  const first = {
    banned: change('Lift its ban', `unban ${id}`, `unban_api_key(${id})`),
    suspended: change('End the suspension', `resume ${id}`, `resume_api_key(${id})`),
    ...{ expired: rotate, unissued: rotate },
  };
  const usual = [
    change('Move it to another plan', `set-plan ${id} ${other}`, `set_api_key_plan(${id}, '${other}')`),
    change('Suspend it for an hour', `suspend ${id} --for 1h`, `suspend_api_key(${id}, lasting => '1 hour')`),
    change(
      'Give it its own limits',
      `set-limits ${id} --per-minute 600 --per-day 20000`,
      `set_api_key_limits(${id}, per_minute => 600, per_day => 20000)`,
    ),
    change('Reset its counts of this minute and day', `reset ${id}`, `reset_api_key_usage(${id})`),
    rotate,
    change('Rename it', `rename ${id} 'New name'`, `rename_api_key(${id}, 'New name')`),
    change('Set its customer', `set-customer ${id} crm-4711`, `set_api_key_customer(${id}, 'crm-4711')`),
    change('Let it only read', `set-access ${id} read`, `set_api_key_access(${id}, 'read')`),
    change('Revoke it permanently', `revoke ${id}`, `revoke_api_key(${id})`),
  ];
  const suggested = Object.entries(first).flatMap(([of, one]) => (of === state ? [one] : []));
  return [...new Set([...suggested, ...usual])];
}

/** How many of these are shown before expanding the rest. */
const SHOWN_CHANGES = 4;

/** Copy SQL or the command. */
let copiesSql = false;

/** @param {ChangeToCopy} change */
const line = ([to, command, sql]) => {
  const code = element('code', {}, copiesSql ? `select * from ${sql};` : `petstore keys ${command}`);
  const button = copyButton(code);
  button.setAttribute('aria-label', `Copy: ${to}`);
  return element('li', {}, element('b', {}, to), element('div', { class: 'line' }, code, button));
};

/** @param {HTMLElement} place @param {Row} key */
function showNext(place, key) {
  /** @param {string} text @param {boolean} sql */
  const choice = (text, sql) =>
    element(
      'button',
      {
        type: 'button',
        'aria-pressed': String(copiesSql === sql),
        onclick: () => {
          copiesSql = sql;
          showNext(place, key);
        },
      },
      text,
    );
  const changes = changesOf(key);
  const isOpen = place.querySelector('details')?.open ?? false;
  const rest = changes.slice(SHOWN_CHANGES);
  place.replaceChildren(
    element(
      'header',
      {},
      element('h2', {}, 'What to do next'),
      element(
        'div',
        { class: 'choices aside', role: 'group', 'aria-label': 'Copy as' },
        choice('Command', false),
        choice('SQL', true),
      ),
    ),
    element('ul', { class: 'next' }, ...changes.slice(0, SHOWN_CHANGES).map(line)),
    element(
      'details',
      { open: isOpen },
      element('summary', {}, `${rest.length} more: rename, revoke …`),
      element('ul', { class: 'next' }, ...rest.map(line)),
    ),
  );
}

/**
 * @param {string} title
 * @param {string} aside
 * @param {readonly import('./format.js').Column[]} columns
 * @param {readonly any[]} rows
 * @param {string} empty
 */
const listing = (title, aside, columns, rows, empty) =>
  card(title, aside, table(title, columns, rows, empty));

/** @param {string} title @param {string} aside @param {...Node} content */
const card = (title, aside, ...content) =>
  element(
    'section',
    { class: 'card' },
    element('header', {}, element('h2', {}, title), element('span', { class: 'aside' }, aside)),
    ...content,
  );

/** @param {string} title @param {Node | string} value @param {string} [kind] */
const fact = (title, value, kind = '') =>
  element('div', { class: kind }, element('dt', {}, title), element('dd', {}, value));

/** Its state, as a fact. @param {Row} key @param {string} now */
function stateOf(key, now) {
  /** @param {string} title @param {string} kind @param {...(Node | string)} value */
  const said = (title, kind, ...value) => fact(title, element('b', {}, ...value), kind);
  if (key['state'] === 'banned')
    return said(
      'Banned',
      'banned',
      `until ${time(key['banned_until']).slice(11)}, `,
      inWords(key['banned_until'], now),
    );
  if (key['state'] === 'suspended')
    return isInstant(key['suspended_until'])
      ? said('Suspended', 'suspended', 'until ', inWords(key['suspended_until'], now))
      : said('Suspended', 'suspended', 'until it is resumed');
  if (key['state'] === 'revoked') return said('Revoked', 'revoked', inWords(key['revoked_at'], now));
  if (key['expires_at'] === null) return fact('Expires', 'never');
  return fact(key['state'] === 'expired' ? 'Expired' : 'Expires', inWords(key['expires_at'], now));
}

const ACTIONS = /** @type {Record<string, string>} */ ({
  'insert api_keys': 'Key created',
  'update api_keys': 'Key changed',
  'insert api_key_secrets': 'Secret issued',
  'update api_key_secrets': 'Secret changed',
});

/** @param {string[]} texts */
const lines = (texts) =>
  element('ul', { class: 'lines' }, ...texts.map((text) => element('li', {}, element('bdi', {}, text))));

/**
 * Fills a place with the details of a key; `chart` is the place for its requests by hour.
 * @param {HTMLElement} place
 * @param {HTMLElement} chart
 * @param {HTMLElement} next the place for actions
 * @param {any} view
 * @param {string} timeName
 */
export function showKey(
  place,
  chart,
  next,
  { now, key, secrets, days, operations, bans, changes },
  timeName,
) {
  /** @type {Map<string, Row>} */
  const byOperation = new Map();
  for (const { operation, outcome, requests } of operations) {
    byOperation.set(operation, { operation, ...byOperation.get(operation), [outcome]: Number(requests) });
  }
  const used = new Set(operations.map((/** @type {Row} */ row) => row['outcome']));
  const outcomes = Object.entries(OUTCOMES)
    .filter(([outcome]) => used.has(outcome))
    .map(([outcome, title]) => count(title, outcome));
  const limits = `${number(key.requests_per_minute)} a minute, ${number(key.requests_per_day)} a day${key.requests_per_month === null ? '' : `, ${number(key.requests_per_month)} a month`}`;
  const plan = element('a', { href: pageWith({ show: 'keys', plan: key.plan_id }) }, named(key.plan_id));
  const customer =
    key.customer === null
      ? '–'
      : element('a', { href: pageWith({ show: 'keys', customer: key.customer }) }, named(key.customer));
  show(
    place,
    element(
      'dl',
      { class: 'card facts' },
      fact('Plan', element('span', {}, plan, ` ${limits}${key.own_limits ? ' (own limits)' : ''}`)),
      fact('This minute', usedOf(key.minute_admitted, key.requests_per_minute)),
      fact('Today (UTC)', usedOf(key.day_admitted, key.requests_per_day)),
      ...(key.requests_per_month === null
        ? []
        : [fact('This month (UTC)', usedOf(key.month_admitted, key.requests_per_month))]),
      stateOf(key, now),
      fact('Customer', customer),
      fact('Access', key.access === 'read' ? 'may only read' : 'may read and write'),
      fact('Last used', inWords(key.last_used_at, now)),
      fact('Created', inWords(key.created_at, now)),
    ),
    element(
      'div',
      { class: 'row' },
      // The chart is moved here once.
      element(
        'section',
        { class: 'card broad', 'data-kept': true },
        element(
          'header',
          {},
          element('h2', {}, 'Requests by hour'),
          element('span', { class: 'aside' }, 'UTC'),
        ),
      ),
      element('section', { class: 'card', 'data-kept': 'next' }),
    ),
    element(
      'div',
      { class: 'row even' },
      listing(
        'By operation',
        timeName,
        [column('Operation', (row) => row['operation']), ...outcomes],
        [...byOperation.values()],
        'No requests in this time.',
      ),
      listing(
        'Bans',
        'latest first',
        [
          column('Began', (row) =>
            element(
              'span',
              { title: `${time(row['began_at'])} UTC` },
              `${day(row['began_at'])} ${time(row['began_at']).slice(11)}`,
            ),
          ),
          column('Lasted', (row) =>
            row['in_force']
              ? badge('banned', 'in force')
              : duration(
                  (Date.parse(row['lifted_at'] ?? row['ends_at']) - Date.parse(row['began_at'])) / 1000,
                ),
          ),
          {
            ...column('Limits', (row) =>
              [row['minute_limit'], row['day_limit'], row['month_limit']]
                .filter((one) => one !== null)
                .map(number)
                .join(' / '),
            ),
            isNumber: true,
          },
        ],
        bans,
        'It was never banned.',
      ),
    ),
    element(
      'div',
      { class: 'row even' },
      listing(
        'Changes',
        'latest first',
        [
          column('When', (row) => inWords(row['changed_at'], now)),
          column('Change', (row) => ACTIONS[`${row['action']} ${row['table_name']}`] ?? row['action']),
          column('Old → new', (row) => lines(row['members'])),
          column('By', (row) => named(row['by'])),
        ],
        changes,
        'No changes.',
      ),
      listing(
        'Secrets',
        '',
        [
          column('Prefix', (row) => element('code', {}, row['prefix'])),
          column('Issued', (row) => inWords(row['created_at'], now)),
          column('Expires', (row) =>
            row['expires_at'] === null ? 'never' : inWords(row['expires_at'], now),
          ),
        ],
        secrets.toReversed(),
        'It has no secrets.',
      ),
    ),
    listing(
      'By day',
      '31 days, exact counts',
      [
        column('Day', (row) => row['day']),
        column('Admitted', (row) => usedOf(row['admitted'], key.requests_per_day)),
        { ...column('Over a limit', (row) => quiet(row['refused'])), isNumber: true },
      ],
      days.toReversed(),
      'No requests in 31 days.',
    ),
  );
  if (!place.contains(chart)) place.querySelector('[data-kept=""]')?.append(chart);
  if (!place.contains(next)) place.querySelector('[data-kept="next"]')?.append(next);
  // Keeps open details and focus while the actions are the same.
  const of = `${key.id} ${key.state} ${key.plan_id}`;
  if (next.dataset['of'] !== of) showNext(next, key);
  next.dataset['of'] = of;
}

/**
 * A key's hours in the format of all keys: dense, by outcome.
 * @param {any[]} rows
 * @param {string} from
 * @param {string} to
 */
export function toOutcomes(rows, from, to) {
  const hour = 3_600_000;
  const first = Date.parse(from);
  const length = (Date.parse(to) - first) / hour;
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
