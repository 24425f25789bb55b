// One list of what needs attention, worst first; each line leads to its key.
import { addressWith, pageWith, parameter } from './address.js';
import { element } from './dom.js';
import { badge, counted, day, inWords, isInstant, named, number, show } from './format.js';

/** @typedef {Record<string, any>} Row */
/** @typedef {{ total: number, isMore: boolean, rows: Row[] }} List */

/** Lines of one kind; the rest share a line. */
const LINES_MAX = 3;

/** @param {Row} row */
const ofKey = ({ api_key_id: id, name }) =>
  element('a', { href: pageWith({ key: String(id) }) }, named(name ?? `key ${id}`));

/** `05:00`, with its day if it is not today's. @param {string} at @param {string} now */
const hour = (at, now) => `${at.slice(0, 10) === now.slice(0, 10) ? '' : `${day(at)} `}${at.slice(11, 16)}`;

/** @param {Node} mark @param {Node | string} title @param {...(Node | string)} text */
const line = (mark, title, ...text) =>
  element('li', {}, mark, element('div', {}, element('b', {}, title), element('p', {}, ...text)));

/** The usage of a key in its nearly full windows. @param {Row} row */
function usedIn(row) {
  return [
    ['minute_admitted', 'requests_per_minute', 'this minute'],
    ['day_admitted', 'requests_per_day', 'today'],
    ['month_admitted', 'requests_per_month', 'this month'],
  ]
    .map(([used = '', limit = '', name]) => ({ used: row[used], limit: row[limit], name }))
    .filter(({ used, limit }) => limit !== null && used / limit > 0.8)
    .map(({ used, limit, name }) => `${number(used)} of ${number(limit)} ${name}`)
    .join(', ');
}

/** Lines of keys, and one for the remaining keys. @param {List} list @param {(row: Row) => Node} lineOf @param {(list: List) => Node} rest */
const lines = (list, lineOf, rest) => [
  ...list.rows.slice(0, LINES_MAX).map(lineOf),
  ...(list.total > LINES_MAX ? [rest(list)] : []),
];

/** Names that unfold below a line, and a link to the remaining ones. @param {string} list @param {List} of */
function names(list, { total, rows }) {
  const href = `${addressWith({ whole: list })}#attention-title`;
  const more =
    total > rows.length
      ? [element('li', {}, element('a', { href }, `${number(total - rows.length)} more`))]
      : [];
  return element(
    'details',
    { open: parameter('whole') === list },
    element('summary', {}, total === 1 ? 'The key' : 'The keys'),
    element('ul', {}, ...rows.map((row) => element('li', {}, ofKey(row))), ...more),
  );
}

/** `3 keys` @param {List} list @param {string} [kind] */
const keys = (list, kind = '') => `${counted(list)} ${kind}key${list.total === 1 ? '' : 's'}`;

/** The keys without a line. @param {List} list */
const othersOf = (list) => keys({ ...list, total: list.total - LINES_MAX }, 'more ');

/** @param {Record<string, string>} filter @param {List} list */
const linkToOthers = (filter, list) =>
  element('a', { href: pageWith({ show: 'keys', ...filter }) }, othersOf(list));

/**
 * @param {HTMLElement} place
 * @param {any} view
 * @param {readonly Row[]} operations with their errors
 * @param {string} now
 */
export function showAttention(place, view, operations, now) {
  const { banned, near, suspended, expiring, deprecated, ended, unused } = view;
  const failing = operations.filter((row) => row['errors'] > 0).toSorted((a, b) => b['errors'] - a['errors']);
  const items = [
    ...failing.map((/** @type {any} */ { operation, errors, errorsSince, worstHour }) =>
      line(
        badge('error', '5xx'),
        `${operation}: ${number(errors)} error${errors === 1 ? '' : 's'}`,
        `Since ${hour(errorsSince, now)}. Worst hour: ${hour(worstHour, now)}.`,
      ),
    ),
    ...lines(
      banned,
      (row) =>
        line(
          badge('banned'),
          ofKey(row),
          `Until ${hour(row['ends_at'], now)}, `,
          inWords(row['ends_at'], now),
          `. Banned since ${hour(row['began_at'], now)}.`,
        ),
      (list) => line(badge('banned'), linkToOthers({ state: 'banned' }, list), 'are banned.'),
    ),
    ...lines(
      near,
      (row) =>
        line(
          badge('limit', Number(row['share']) >= 1 ? 'at limit' : 'near limit'),
          ofKey(row),
          `${usedIn(row)}.`,
        ),
      (list) =>
        line(badge('limit', 'near limit'), linkToOthers({ sort: 'share' }, list), 'above 80 % of a limit.'),
    ),
    ...lines(
      suspended,
      (row) =>
        line(
          badge('suspended'),
          ofKey(row),
          ...(isInstant(row['suspended_until'])
            ? ['Until ', inWords(row['suspended_until'], now), '.']
            : ['Until it is resumed.']),
        ),
      (list) => line(badge('suspended'), linkToOthers({ state: 'suspended' }, list), 'are suspended.'),
    ),
    ...lines(
      expiring,
      (row) =>
        line(
          badge('expiring'),
          ofKey(row),
          row['expires'] === 'key' ? 'Expires ' : `Last secret ${row['prefix']}… expires `,
          inWords(row['expires_at'], now),
          '.',
        ),
      (list) => line(badge('expiring'), othersOf(list), 'end within 14 days: petstore usage expiring'),
    ),
    ...deprecated.map((/** @type {any} */ { operation, last_hour: lastHour, ...callers }) =>
      line(
        badge('deprecated'),
        `${operation}: ${keys(callers)} still ${callers.total === 1 ? 'calls' : 'call'} it`,
        `Last called in the hour from ${hour(lastHour, now)}.`,
        names('deprecated', callers),
      ),
    ),
    ...(ended.total > 0
      ? [
          line(
            badge('ended', 'ended'),
            `${counted(ended)} ban${ended.total === 1 ? '' : 's'} ended`,
            'In the last 24 hours.',
            names('ended', ended),
          ),
        ]
      : []),
    ...(unused.total > 0
      ? [
          line(
            badge('unused', 'unused'),
            `${keys(unused)} unused`,
            'For 90 days or more.',
            names('unused', unused),
          ),
        ]
      : []),
  ];
  const empty = [
    ...(failing.length === 0 ? ['no errors'] : []),
    ...(banned.total === 0 ? ['no banned key'] : []),
    ...(near.total === 0 ? ['none near a limit'] : []),
    ...(suspended.total === 0 ? ['none suspended'] : []),
    ...(expiring.total === 0 ? ['none expire within 14 days'] : []),
    ...(deprecated.length === 0 ? ['no deprecated operation called'] : []),
    ...(unused.total === 0 ? ['none unused for 90 days'] : []),
  ].join(', ');
  const sentence = `${empty.charAt(0).toUpperCase()}${empty.slice(1)}.`;
  show(
    place,
    ...(items.length > 0 ? [element('ol', { class: 'attention' }, ...items)] : []),
    ...(empty === '' ? [] : [element('p', { class: 'empty' }, sentence)]),
  );
  return items.length;
}
