// What the service answered: status, headers, body.
import { statusBadge } from './badges.js';
import { element } from './dom.js';
import { showJson } from './json.js';
import { showLimits } from './limits.js';

/** The headers that tell about limits: first in the list, and highlighted. */
const LIMIT_HEADERS = /^(?:x-ratelimit-|ratelimit|retry-after)/;

/** @param {[name: string, value: string]} header */
const isLimit = ([name]) => LIMIT_HEADERS.test(name);

/** What a browser adds or hides is no news. */
const FRAMING = new Set(['connection', 'content-length', 'date', 'keep-alive']);

/**
 * What came of a request in a line, and all that the service said.
 * @param {Response} response
 * @param {string} text
 * @param {number} tookMs
 */
export function showAnswer(response, text, tookMs) {
  const headers = [...response.headers].filter(
    ([name]) => !FRAMING.has(name) && !name.startsWith('access-control-'),
  );
  showLimits(response.headers);
  return {
    outcome: [
      statusBadge(response.status),
      element('span', {}, `${response.statusText} in ${Math.round(tookMs)} ms`),
    ],
    details: [
      ...adviceOn(response),
      element('h5', {}, 'Headers'),
      element(
        'dl',
        { class: 'answer-headers' },
        ...[...headers.filter(isLimit), ...headers.filter((header) => !isLimit(header))].flatMap((header) => [
          element('dt', { class: isLimit(header) && 'limit' }, header[0]),
          element('dd', { class: isLimit(header) && 'limit' }, header[1]),
        ]),
      ),
      ...(text === '' ? [] : [element('h5', {}, 'Body'), bodyOf(text)]),
    ],
  };
}

/** A long body scrolls in its own box, also by keyboard. */
const bodyOf = (/** @type {string} */ text) =>
  element(
    'pre',
    { class: 'body', tabindex: 0, 'aria-label': 'Body' },
    element('code', {}, ...showJson(text)),
  );

/**
 * The target of the next page, if there is one.
 * @param {Response} response
 */
export const nextOf = (response) => /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];

/** @param {Response} response */
function adviceOn({ status, headers }) {
  const seconds = headers.get('retry-after');
  if (status === 401)
    return [element('p', { class: 'advice' }, 'Use an API key: the button is at the top of the page.')];
  if (seconds !== null)
    return [element('p', { class: 'advice' }, `Wait for ${seconds} s (Retry-After), then send it again.`)];
  return [];
}

/** @param {unknown} error */
export const showFailure = (error) => ({
  outcome: [`There was no answer: ${error instanceof Error ? error.message : String(error)}`],
  details: [],
});
