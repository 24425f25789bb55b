// Shows a response: status, headers and body.
import { element, fold, statusBadge } from './dom.js';
import { showJson, writeJson } from './json.js';
import { showLimits } from './limits.js';
import { exampleOf } from './openapi.js';

/** The rate-limit headers, which the page's top bar also shows. @param {[name: string, value: string]} header */
const isLimit = ([name]) => /^(?:x-ratelimit-|ratelimit|retry-after)/.test(name);

/** Headers of the connection, which are of no interest here. */
const FRAMING = new Set(['connection', 'content-length', 'date', 'keep-alive']);

/**
 * The outcome of a request in one line, all details of the response, its next page, and what is wrong with the key.
 * @typedef {{ outcome: (Node | string)[], details: Node[], next?: string | undefined, keyFault?: string | undefined }} Shown
 * @param {Response} response
 * @param {string} text
 * @param {number} tookMs
 * @returns {Shown}
 */
export function showResponse(response, text, tookMs) {
  const headers = [...response.headers].filter(
    ([name]) => !FRAMING.has(name) && !name.startsWith('access-control-'),
  );
  showLimits(response.headers);
  return {
    next: nextOf(response),
    keyFault: response.status === 401 ? keyFaultOf(response) : undefined,
    outcome: [
      statusBadge(response.status),
      element('span', {}, `${response.statusText} in ${Math.round(tookMs)} ms`),
    ],
    details: [
      ...adviceOn(response),
      ...(text === '' ? [] : [element('h5', {}, 'Response body'), ...bodyOf(text)]),
      element('h5', {}, 'Headers'),
      headerList(headers.filter((header) => !isLimit(header))),
      fold(['Rate-limit headers'], headerList(headers.filter(isLimit))),
    ],
  };
}

const headerList = (/** @type {[name: string, value: string][]} */ headers) =>
  element(
    'dl',
    { class: 'response-headers' },
    ...headers.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );

/** Longer bodies are collapsed at first. */
const LINES_MAX = 24;

/** @param {string} text */
function bodyOf(text) {
  const body = element(
    'pre',
    { class: 'body', role: 'group', tabindex: -1, 'aria-label': 'Response body' },
    element('code', {}, ...showJson(text)),
  );
  const lines = (body.textContent ?? '').split('\n').length;
  if (lines <= LINES_MAX) return [body];
  body.classList.add('cut');
  const more = element('button', { type: 'button' }, `Show all ${lines} lines`);
  more.addEventListener('click', () => {
    body.classList.remove('cut');
    body.focus();
    more.remove();
  });
  return [body, more];
}

/**
 * Shown in a form before a request: the documented response.
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
const nextOf = (response) => /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];

/** What the challenge of a 401 says about the key (RFC 6750). @param {Response} response */
const keyFaultOf = ({ headers }) =>
  /error_description="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ??
  'This request needs an API key.';

/** @param {Response} response */
function adviceOn({ headers }) {
  const seconds = headers.get('retry-after');
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
