// Numbers, times and tables. Times are UTC.
import { element } from './dom.js';

/** @param {unknown} value */
export const number = (value) =>
  value === null || value === undefined ? '–' : Number(value).toLocaleString('en');

/**
 * `2026-11-20 09:31`
 * @param {unknown} value
 */
export const time = (value) => (typeof value === 'string' ? value.slice(0, 16).replace('T', ' ') : '–');

/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/** Outcomes from the bottom of a bar to its top. @type {Record<string, string>} */
export const OUTCOMES = {
  success: 'success',
  client_error: 'client error',
  server_error: 'server error',
  limited: 'limited',
  banned: 'banned',
  unauthorized: 'unauthorized',
};

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
  const body = rows.map((row) => line('td', ({ cell }) => cell(row)));
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

/** @param {Element} one */
const nameOf = (one) => one.getAttribute('href') ?? one.getAttribute('aria-label') ?? one.textContent;

/**
 * Replaces what a place shows, and moves nothing under its reader: focus and scrolling stay.
 * @param {HTMLElement} place
 * @param {...(Node | string)} nodes
 */
export function show(place, ...nodes) {
  const scrolled = [...place.querySelectorAll('.scroll')].map(({ scrollLeft, scrollTop }) => [
    scrollLeft,
    scrollTop,
  ]);
  const focused = document.activeElement;
  const name = focused !== null && place.contains(focused) ? nameOf(focused) : undefined;
  const next = element('div', {}, ...nodes);
  if (next.innerHTML === place.innerHTML) return;
  place.replaceChildren(...next.childNodes);
  place.querySelectorAll('.scroll').forEach((one, index) => {
    const [left = 0, top = 0] = scrolled[index] ?? [];
    one.scrollTo(left, top);
  });
  if (name === undefined) return;
  const same = [...place.querySelectorAll('a, button, summary, [tabindex]')].find(
    (one) => nameOf(one) === name,
  );
  if (same instanceof HTMLElement) same.focus({ preventScroll: true });
}
