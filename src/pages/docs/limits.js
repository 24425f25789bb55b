// The state of the rate limits in the last response.
import { byId, element } from './dom.js';

/** @type {Record<string, string>} */
const NAMES = {
  minute: 'this minute',
  day: 'today',
  month: 'this month',
  address: 'this minute, without a key',
};

/** @param {Headers} headers */
export function showLimits(headers) {
  const remaining = itemsOf(headers.get('ratelimit'), 'r');
  const limits = itemsOf(headers.get('ratelimit-policy'), 'q');
  byId('limits').replaceChildren(
    ...[...limits].map(([policy, limit]) => {
      const left = remaining.get(policy) ?? 0;
      return element(
        'span',
        { class: 'window' },
        element('meter', {
          min: 0,
          max: limit,
          low: limit / 4,
          high: limit / 2,
          optimum: limit,
          value: left,
          'aria-label': `Requests remaining ${NAMES[policy] ?? policy}`,
        }),
        element('span', {}, `${left} of ${limit} ${NAMES[policy] ?? policy}`),
      );
    }),
  );
}

/**
 * One number of each item of a structured list such as `"minute";q=60;w=60, "day";q=1000;w=86400`.
 * @param {string | null} list
 * @param {string} parameter
 */
function itemsOf(list, parameter) {
  const items = [...(list ?? '').matchAll(new RegExp(`"(\\w+)"[^,]*;${parameter}=(\\d+)`, 'g'))];
  return new Map(items.map(([, name = '', value]) => [name, Number(value)]));
}
