// Numbers, times and tables. Times are UTC.
import { element } from './dom.js';
import morphdom from './morphdom-esm.js';

/** @param {unknown} value */
export const number = (value) =>
  value === null || value === undefined ? '–' : Number(value).toLocaleString('en');

/**
 * `2026-11-20 09:31`
 * @param {unknown} value
 */
export const time = (value) => (typeof value === 'string' ? value.slice(0, 16).replace('T', ' ') : '–');

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20 Nov` @param {string} at */
export const day = (at) => `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1]}`;

/**
 * `2026-11-20 03:10 to 03:16`, with seconds within a minute
 * @param {string} from @param {string} to
 */
export function span(from, to) {
  const length = time(from) === time(to) ? 19 : 16;
  const [begin = '', end = ''] = [from, to].map((one) => one.slice(0, length).replace('T', ' '));
  return `${begin} to ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** @type {readonly [seconds: number, unit: string][]} */
const UNITS = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** The largest whole unit: `3 min`, `2 days`. @param {number} seconds */
export function duration(seconds) {
  const [size, unit] = UNITS.find(([length]) => seconds >= length) ?? [1, 's'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${unit.length >= 3 && unit !== 'min' && count > 1 ? 's' : ''}`;
}

/** A relative time, from the database's clock; the title is the exact time. @param {unknown} at @param {string} now */
export function inWords(at, now) {
  if (typeof at !== 'string') return '–';
  const seconds = (Date.parse(now) - Date.parse(at)) / 1000;
  const ago = seconds < 60 ? 'just now' : `${duration(seconds)} ago`;
  const text = seconds < -1 ? `in ${duration(-seconds)}` : ago;
  return element('time', { title: `${at.slice(0, 19).replace('T', ' ')} UTC` }, text);
}

/** 100 % means all, not 995 of 1,000. @param {number} share */
const percent = (share) => `${Math.round((share < 1 ? Math.min(share, 0.99) : share) * 100)}\u00a0%`;

/** A percentage with two decimals; a positive share is never 0. @param {number} part @param {number} all */
export function rate(part, all) {
  const share = all === 0 ? 0 : (100 * part) / all;
  return `${part > 0 && share < 0.01 ? '<\u00a00.01' : share.toFixed(share >= 10 ? 1 : 2)}\u00a0%`;
}

/** A user-supplied text: it may be of any length, and does not change the text direction around it. @param {string} text */
export const named = (text) => element('bdi', { class: 'named', title: text }, text);

/** @param {string} kind @param {...(Node | string)} text */
export const badge = (kind, ...text) =>
  element('span', { class: `badge ${kind}` }, ...(text.length === 0 ? [kind] : text));

/** Outcomes from the bottom of a bar to its top: the worst is highest. @type {Record<string, string>} */
export const OUTCOMES = {
  success: 'success',
  client_error: 'client error',
  unauthorized: 'unauthorized',
  limited: 'limited',
  banned: 'banned',
  suspended: 'suspended',
  undecided: 'undecided',
  server_error: 'server error',
};

/** Also the requests that were rejected by client address: they have no key. @type {Record<string, string>} */
export const ALL_OUTCOMES = { success: 'success', no_key: 'without a key', ...OUTCOMES };

/** Outcomes that clients see as 5xx, and other rejections. */
export const ERRORS = ['server_error', 'undecided'];
export const REJECTED = ['limited', 'banned', 'suspended', 'unauthorized', 'no_key'];

/**
 * @typedef {object} Column
 * @property {Node | string} title
 * @property {(row: any) => Node | string} cell
 * @property {boolean} [isNumber]
 * @property {string} [sort] `ascending` or `descending` if the rows are sorted by it
 * @property {string} [kind] a class
 */

/** @typedef {Record<string, any>} Row */

/** @param {Node | string} title @param {(row: Row) => Node | string} cell */
export const column = (title, cell) => ({ title, cell });

/** @param {Node | string} title @param {string} member */
export const count = (title, member) => ({ ...column(title, (row) => quiet(row[member])), isNumber: true });

/** Rows that were counted up to a bound: `1,000+`. @param {{ total?: number, isMore?: boolean }} [list] */
export const counted = ({ total, isMore } = {}) => `${number(total)}${isMore === true ? '+' : ''}`;

/** Whether a time is finite, that is, not `infinity`. @param {unknown} at */
export const isInstant = (at) => typeof at === 'string' && /^\d/.test(at);

/** A number, shown muted if it is zero. @param {unknown} value */
export const quiet = (value) =>
  Number(value) > 0 ? number(value) : element('span', { class: 'quiet' }, number(value ?? 0));

/**
 * A table, or a sentence if it would be empty.
 * @param {string} label
 * @param {readonly Column[]} columns
 * @param {readonly any[]} rows
 * @param {Node | string} empty
 */
export function table(label, columns, rows, empty) {
  if (rows.length === 0) return element('p', { class: 'empty' }, empty);
  /** @param {'th' | 'td'} name @param {(column: Column) => Node | string} content */
  const line = (name, content) =>
    element('tr', {}, ...columns.map((one) => element(name, { class: classOf(one) }, content(one))));
  const head = line('th', ({ title }) => title);
  for (const [nth, cell] of [...head.children].entries()) {
    cell.setAttribute('scope', 'col');
    const sort = columns[nth]?.sort;
    if (sort !== undefined) cell.setAttribute('aria-sort', sort);
  }
  const body = rows.map((row) => {
    const made = line('td', ({ cell }) => cell(row));
    if (row?.id !== undefined) made.dataset['key'] = `${label} ${row.id}`;
    return made;
  });
  return element(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': `Table: ${label}`, tabindex: 0 },
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)),
  );
}

/** @param {Column} column */
const classOf = ({ isNumber, kind = '' }) =>
  `${isNumber === true ? 'number ' : ''}${kind}`.trim() || undefined;

const SVG = 'http://www.w3.org/2000/svg';

/** A drawing of rectangles and lines, without text. @param {number} width @param {number} height @param {string} kind @param {...[name: string, attributes: Record<string, string | number>]} parts */
export function drawing(width, height, kind, ...parts) {
  const made = document.createElementNS(SVG, 'svg');
  const attributes = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', class: kind };
  for (const [name, value] of Object.entries({ ...attributes, 'aria-hidden': 'true' }))
    made.setAttribute(name, value);
  for (const [name, of] of parts) {
    const part = document.createElementNS(SVG, name);
    for (const [attribute, value] of Object.entries(of)) part.setAttribute(attribute, String(value));
    made.append(part);
  }
  return made;
}

/** A bar filled to a share. @param {number} share @param {string} kind */
export const meter = (share, kind = '') =>
  drawing(100, 8, `meter ${kind}`, [
    'rect',
    { width: Math.max(share > 0 ? 4 : 0, Math.min(1, share) * 100), height: 8 },
  ]);

/**
 * The usage of a limit, as a bar with numbers.
 * @param {unknown} used
 * @param {unknown} limit
 */
export function usedOf(used, limit) {
  if (limit === null || limit === undefined) return '–';
  const share = Number(limit) > 0 ? Number(used ?? 0) / Number(limit) : 0;
  return element(
    'span',
    { class: 'used', title: percent(share) },
    meter(share, share > 0.8 ? 'full' : ''),
    `${number(used ?? 0)} / ${number(limit)}`,
  );
}

/**
 * Requests over time as bars, with the rejected ones and the errors on top.
 * @param {readonly (readonly [requests: number, errors: number, rejected: number] | null)[]} parts
 */
export function bars(parts) {
  const max = Math.max(1, ...parts.map((one) => one?.[0] ?? 0));
  /** @type {[string, Record<string, string | number>][]} */
  const drawn = [];
  for (const [nth, [requests, errors, rejected]] of parts.map((one) => one ?? [0, 0, 0]).entries()) {
    let top = 24;
    const others = Math.max(0, requests - errors - rejected);
    for (const [of, kind] of /** @type {const} */ ([
      [others, 'admitted'],
      [rejected, 'rejected'],
      [errors, 'error'],
    ])) {
      const height = of > 0 ? Math.max(2, (of / max) * 20) : 0;
      top -= height;
      if (height > 0) drawn.push(['rect', { x: nth * 4, width: 3, y: top, height, class: kind }]);
    }
  }
  const sum = parts.reduce((total, one) => total + (one?.[0] ?? 0), 0);
  return element(
    'span',
    { role: 'img', 'aria-label': `${number(sum)} requests` },
    drawing(parts.length * 4, 24, 'bars', ...drawn),
  );
}

/** The element that must not move: the focused one if it is visible, or else the one in the middle of the window. */
function readAt() {
  const focused = document.activeElement;
  const { top = -1 } = focused === document.body ? {} : (focused?.getBoundingClientRect() ?? {});
  return top >= 0 && top < innerHeight ? focused : document.elementFromPoint(innerWidth / 2, innerHeight / 2);
}

/**
 * Updates the content of a place by morphing: focus, selection, scroll position and open details are preserved.
 * @param {HTMLElement} place
 * @param {...(Node | string)} nodes
 */
export function show(place, ...nodes) {
  const next = element('div', {}, ...nodes);
  const at = readAt();
  const before = at?.getBoundingClientRect().top ?? 0;
  morphdom(place, next, {
    childrenOnly: true,
    getNodeKey: (node) => (node instanceof HTMLElement ? (node.dataset['key'] ?? node.id) : undefined),
    onBeforeElUpdated: (shown, wanted) => {
      if (shown instanceof HTMLDetailsElement && wanted instanceof HTMLDetailsElement)
        wanted.open = shown.open;
      return shown.dataset['kept'] === undefined && !shown.isEqualNode(wanted);
    },
  });
  // Content above it may have grown. A page that was not scrolled stays at the top.
  const moved = at?.isConnected ? at.getBoundingClientRect().top - before : 0;
  // Less than a pixel is rounding, which would add up.
  if (scrollY > 0 && Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
}
