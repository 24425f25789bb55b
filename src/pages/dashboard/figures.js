// The four key figures.
import { element } from './dom.js';
import { timeParameters } from './address.js';
import { badge, counted, drawing, ERRORS, number, rate, REJECTED, show } from './format.js';

/** @typedef {{ outcome: string, requests: number[] }[]} Outcomes */

/** Sums by hour. @param {Outcomes} outcomes @param {readonly string[]} [wanted] */
const byHour = (outcomes, wanted) =>
  outcomes
    .filter(({ outcome }) => wanted === undefined || wanted.includes(outcome))
    .reduce(
      (/** @type {number[]} */ sums, { requests }) => requests.map((one, nth) => one + (sums[nth] ?? 0)),
      [],
    );

/** @param {readonly number[]} counts */
const total = (counts) => counts.reduce((sum, one) => sum + one, 0);

/** A curve, and a dashed one of the last range. @param {readonly number[]} now @param {readonly number[]} before */
function curve(now, before) {
  const max = Math.max(1, ...now, ...before);
  /** @param {readonly number[]} counts */
  const points = (counts) =>
    counts
      .map(
        (one, nth) => `${(nth / Math.max(1, counts.length - 1)) * 240},${(31 - (one / max) * 29).toFixed(1)}`,
      )
      .join(' ');
  return drawing(
    240,
    32,
    'curve',
    ...(before.length > 0
      ? [/** @type {any} */ (['polyline', { class: 'before', points: points(before) }])]
      : []),
    ['polygon', { class: 'area', points: `0,32 ${points(now)} 240,32` }],
    ['polyline', { class: 'now', points: points(now) }],
  );
}

/** The change in percent, as text. @param {number} now @param {number} before */
const changeOf = (now, before) =>
  before === 0
    ? ''
    : ` ${now >= before ? '+' : '−'}${Math.round((Math.abs(now - before) / before) * 100)}\u00a0%`;

/** @param {string} title @param {string} kind @param {(Node | string)[]} value @param {Node | string} note @param {...Node} below */
const figure = (title, kind, value, note, ...below) =>
  element(
    'div',
    { class: kind },
    element('dt', {}, title),
    element('dd', { class: 'value' }, ...value),
    element('dd', { class: 'note' }, note),
    element('dd', {}, ...below),
  );

/**
 * @param {HTMLElement} place
 * @param {{ hours?: any, attention?: any, summary?: any }} views those received
 */
export function showFigures(place, { hours, attention, summary }) {
  const { outcomes, before } = hours ?? { outcomes: [] };
  const length = hours?.hours.length ?? 0;
  const name = timeParameters()['range'] === '7d' ? '7 days' : `${length} h`;
  /** @param {readonly string[]} [wanted] */
  const sums = (wanted) => ({
    now: byHour(outcomes, wanted),
    before: before === undefined ? [] : byHour(before.outcomes, wanted),
  });
  const all = sums();
  const requests = total(all.now);
  /** @param {{ before: number[] }} one @param {string} text */
  const noteOf = (one, text) => (one.before.length === 0 ? '' : `${text} in the ${name} before`);
  const failed = sums(ERRORS);
  const rejected = sums(REJECTED);
  const errors = total(failed.now);
  const chips = [
    ['banned', 'banned'],
    ['near', 'limit'],
    ['suspended', 'suspended'],
    ['expiring', 'expiring'],
  ].flatMap(([list = '', kind = '']) => {
    const text = `${counted(attention?.[list])} ${list === 'near' ? 'near a limit' : list}`;
    return attention?.[list].total > 0 ? [badge(kind, text)] : [];
  });
  const requestsBefore = total(all.before);
  show(
    place,
    figure(
      'Requests',
      'first',
      [number(hours === undefined ? undefined : requests)],
      noteOf(all, number(requestsBefore)) + (requestsBefore > 0 ? changeOf(requests, requestsBefore) : ''),
      curve(all.now, all.before),
    ),
    figure(
      'Errors (5xx)',
      errors > 0 ? 'errors is-bad' : 'errors',
      [rate(errors, requests), element('small', {}, `${number(errors)} request${errors === 1 ? '' : 's'}`)],
      noteOf(failed, rate(total(failed.before), requestsBefore)),
      curve(failed.now, failed.before),
    ),
    figure(
      'Rejected',
      'rejected',
      [number(total(rejected.now)), element('small', {}, rate(total(rejected.now), requests))],
      noteOf(rejected, number(total(rejected.before))),
      curve(rejected.now, rejected.before),
    ),
    figure(
      'Keys that need attention',
      '',
      [counted(attention), element('small', {}, `of ${number(summary?.keys)}`)],
      `${number(summary?.active)} with a request today (UTC)`,
      element('div', { class: 'chips' }, ...chips),
    ),
  );
}
