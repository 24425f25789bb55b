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

/**
 * `2026-11-20 03:10 to 03:16`, with seconds within a minute
 * @param {string} from @param {string} to
 */
export function span(from, to) {
  const length = time(from) === time(to) ? 19 : 16;
  const [begin = '', end = ''] = [from, to].map((one) => one.slice(0, length).replace('T', ' '));
  return `${begin} to ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** 100 % is all of it, and not 995 of 1,000. @param {number} share */
export const percent = (share) => `${Math.round((share < 1 ? Math.min(share, 0.99) : share) * 100)}\u00a0%`;

/** A text that somebody chose: it may be of any length, and does not change the direction of those around it. @param {string} text */
export const named = (text) => element('bdi', { class: 'named', title: text }, text);

/** Outcomes from the bottom of a bar to its top. @type {Record<string, string>} */
export const OUTCOMES = {
  success: 'success',
  client_error: 'client error',
  server_error: 'server error',
  limited: 'limited',
  banned: 'banned',
  suspended: 'suspended',
  unauthorized: 'unauthorized',
  undecided: 'undecided',
};

/** Those, and the requests that were rejected by their client address: they are of no key. @type {Record<string, string>} */
export const ALL_OUTCOMES = { ...OUTCOMES, no_key: 'without a key' };

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: any) => Node | string} cell
 * @property {boolean} [isNumber]
 */

/** @typedef {Record<string, any>} Row */

/** @param {string} title @param {(row: Row) => Node | string} cell */
export const column = (title, cell) => ({ title, cell });

/** @param {string} title @param {string} member */
export const count = (title, member) => ({ ...column(title, (row) => number(row[member])), isNumber: true });

/** @param {string} title @param {string} member */
export const when = (title, member) => column(title, (row) => time(row[member]));

/** @param {Column} column */
const kind = ({ isNumber }) => (isNumber === true ? 'number' : undefined);

/**
 * A table, or a sentence if it would be empty.
 * @param {string} label
 * @param {readonly Column[]} columns
 * @param {readonly any[]} rows
 * @param {string} empty
 */
export function table(label, columns, rows, empty) {
  if (rows.length === 0) return element('p', { class: 'empty' }, empty);
  /** @param {'th' | 'td'} name @param {(column: Column) => Node | string} content */
  const line = (name, content) =>
    element('tr', {}, ...columns.map((one) => element(name, { class: kind(one) }, content(one))));
  const head = line('th', ({ title }) => title);
  for (const cell of head.children) cell.setAttribute('scope', 'col');
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

/**
 * What is used of a limit, as a bar with its numbers.
 * @param {unknown} used
 * @param {unknown} limit
 */
export function usedOf(used, limit) {
  const share = Number(limit) > 0 ? Number(used) / Number(limit) : 0;
  return element(
    'span',
    { class: 'used', title: percent(share) },
    element('meter', { min: 0, max: 1, high: 0.8, value: Math.min(1, share), 'aria-hidden': 'true' }),
    `${number(used)} / ${number(limit)}`,
  );
}

/**
 * Requests of 24 hours as bars in one line of text.
 * @param {readonly (number | string)[]} counts
 */
export function spark(counts) {
  const max = Math.max(...counts.map(Number));
  const bars = counts.map((one) =>
    Number(one) === 0 ? '·' : ('▁▂▃▄▅▆▇█'[Math.ceil((Number(one) / max) * 8) - 1] ?? ''),
  );
  const sum = counts.reduce((/** @type {number} */ total, one) => total + Number(one), 0);
  return element(
    'span',
    { class: 'spark', role: 'img', 'aria-label': `${number(sum)} requests in 24 hours` },
    bars.join(''),
  );
}

/** The element that must not move: the focused one if it is visible, or else the one in the middle of the window. */
function readAt() {
  const focused = document.activeElement;
  const { top = -1 } = focused === document.body ? {} : (focused?.getBoundingClientRect() ?? {});
  return top >= 0 && top < innerHeight ? focused : document.elementFromPoint(innerWidth / 2, innerHeight / 2);
}

/**
 * Replaces what a place shows, and changes nothing that is the same: focus, selection and scrolling stay, and what was opened.
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
  // Content above it may have grown. A page that was not scrolled begins at its top.
  const moved = at?.isConnected ? at.getBoundingClientRect().top - before : 0;
  // Less than a pixel is rounding, which would add up.
  if (scrollY > 0 && Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
}
