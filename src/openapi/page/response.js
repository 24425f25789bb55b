// Shows a response: status, headers and body.
import { element, fold, statusBadge } from './dom.js';
import { showJson, writeJson } from './json.js';
import { showLimits } from './limits.js';
import { exampleOf } from './openapi.js';

/** The headers about rate limits, which the bar of the page shows, too. */
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
      ...(text === '' ? [] : [element('h5', {}, 'Response body'), ...bodyOf(text)]),
      element('h5', {}, 'Headers'),
      headerList(headers.filter((header) => !isLimit(header))),
      fold(['Headers of rate limits'], headerList(headers.filter(isLimit))),
    ],
  };
}

const headerList = (/** @type {[name: string, value: string][]} */ headers) =>
  element(
    'dl',
    { class: 'response-headers' },
    ...headers.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );

/** More lines than this are shown when the reader wants them. */
const LINES_MAX = 24;

/** @param {string} text */
function bodyOf(text) {
  const body = element(
    'pre',
    { class: 'body', role: 'group', 'aria-label': 'Response body' },
    element('code', {}, ...showJson(text)),
  );
  const lines = (body.textContent ?? '').split('\n').length;
  if (lines <= LINES_MAX) return [body];
  body.classList.add('cut');
  const more = element('button', { type: 'button' }, `Show all ${lines} lines`);
  more.addEventListener('click', () => {
    body.classList.remove('cut');
    more.remove();
  });
  return [body, more];
}

/**
 * What a form shows before a request: the documented response.
 * @param {import('./openapi.js').OpenApi} api
 * @param {import('./openapi.js').Json} operation
 */
export function exampleResponse(api, operation) {
  const success = api.responsesOf(operation).find(({ status }) => status.startsWith('2'));
  const json = success?.response['content']?.['application/json'];
  return [
    element('h5', {}, 'Example response ', statusBadge(success?.status ?? '')),
    json === undefined
      ? element('p', {}, 'Without a body.')
      : element('pre', { class: 'body' }, element('code', {}, ...showJson(writeJson(exampleOf(json))))),
  ];
}

/**
 * The target of the next page, if there is one.
 * @param {Response} response
 */
export const nextOf = (response) => /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];

/** @param {Response} response */
function adviceOn({ status, headers }) {
  const seconds = headers.get('retry-after');
  if (status === 401) return [];
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
