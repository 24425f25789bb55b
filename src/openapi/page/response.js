// Shows a response: status, headers and body.
import { statusBadge } from './badges.js';
import { element } from './dom.js';
import { showJson } from './json.js';
import { showLimits } from './limits.js';

/** The headers about rate limits, which are listed first and highlighted. */
const LIMIT_HEADERS = /^(?:x-ratelimit-|ratelimit|retry-after)/;

/** @param {[name: string, value: string]} header */
const isLimit = ([name]) => LIMIT_HEADERS.test(name);

/** Headers of the connection, which are of no interest here. */
const FRAMING = new Set(['connection', 'content-length', 'date', 'keep-alive']);

/**
 * The outcome of a request in one line, and all details of the response.
 * @param {Response} response
 * @param {string} text
 * @param {number} tookMs
 */
export function showResponse(response, text, tookMs) {
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
        { class: 'response-headers' },
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
    return [
      element(
        'p',
        { class: 'advice' },
        'This request needs an API key. Use the button at the top of the page.',
      ),
    ];
  if (seconds !== null)
    return [
      element('p', { class: 'advice' }, `Wait ${seconds} s (Retry-After), then send the request again.`),
    ];
  return [];
}

/** @param {unknown} error */
export const showFailure = (error) => ({
  outcome: [`There was no response: ${error instanceof Error ? error.message : String(error)}`],
  details: [],
});
