// The form to try an operation: parameters, body, the matching curl command, and the response.
import { nextOf, showFailure, showResponse } from './response.js';
import { copyButton, element } from './dom.js';
import { writeJson } from './json.js';
import { key } from './key.js';
import { exampleOf } from './openapi.js';

/**
 * @typedef {import('./openapi.js').Json} Json
 * @typedef {import('./openapi.js').OpenApi} OpenApi
 * @typedef {import('./openapi.js').Operation} Operation
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field
 * @typedef {{ place: string, name: string, field: Field, row: HTMLElement }} Input
 */

/**
 * @param {OpenApi} api
 * @param {Operation} one
 */
export function tryForm(api, { id, method, path, operation }) {
  /** @type {Input[]} */
  const inputs = operation['parameters'].map((/** @type {Json} */ parameter) =>
    inputOf(api, id, api.resolve(parameter)),
  );
  const bodyInput = bodyOf(id, operation);
  if (bodyInput !== undefined) inputs.push(bodyInput);

  const curl = element('code', {});
  const send = element('button', { type: 'submit', class: 'primary' }, 'Send');
  const outcome = element('p', { class: 'outcome', role: 'status' });
  const details = element('div', { class: 'response' });

  const refreshCurl = () => (curl.textContent = curlOf(api, method, requestOf(path, inputs)));
  const onsubmit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    refreshCurl();
    send.disabled = true;
    outcome.replaceChildren('Waiting for the response …');
    const shown = await sendRequest(api, method, requestOf(path, inputs));
    outcome.replaceChildren(...shown.outcome);
    details.replaceChildren(...shown.details);
    if (shown.next !== undefined) outcome.append(nextButton(form, inputs, shown.next));
    send.disabled = false;
    if (document.activeElement === document.body) send.focus({ preventScroll: true });
    // On a wide screen the form scrolls by itself, and the page stays where it is.
    if (form.scrollHeight > form.clientHeight) form.scrollTop = outcome.offsetTop;
    else outcome.scrollIntoView({ block: 'nearest' });
  };

  const form = element(
    'form',
    { class: 'try', 'aria-label': `Try: ${operation['summary']}`, oninput: refreshCurl, onsubmit },
    element('h4', {}, 'Try it'),
    ...inputs.map(({ row }) => row),
    element('div', { class: 'actions' }, send),
    element(
      'div',
      { class: 'curl' },
      element(
        'h5',
        {},
        'curl',
        copyButton(
          () => curl.textContent ?? '',
          () => curl,
        ),
      ),
      element('pre', {}, curl),
    ),
    outcome,
    details,
  );
  refreshCurl();
  return form;
}

/**
 * Sends a request and shows the response.
 * @param {OpenApi} api
 * @param {string} method
 * @param {ReturnType<typeof requestOf>} request
 * @returns {Promise<{ outcome: (Node | string)[], details: Node[], next?: string | undefined }>}
 */
async function sendRequest(api, method, { target, headers, body }) {
  const sentAt = performance.now();
  try {
    const response = await fetch(api.requestUrl + target, {
      method,
      headers: { ...headers, ...key.headers },
      // Always a response from the service, never one from the browser's cache.
      cache: 'no-store',
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { ...showResponse(response, text, performance.now() - sentAt), next: nextOf(response) };
  } catch (error) {
    return showFailure(error);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Input[]} inputs
 * @param {string} target
 */
const nextButton = (form, inputs, target) =>
  element(
    'button',
    {
      type: 'button',
      onclick: () => {
        const { searchParams } = new URL(target, location.href);
        for (const { name, field } of inputs.filter(({ place }) => place === 'query')) {
          field.value = searchParams.get(name) ?? '';
        }
        form.requestSubmit();
      },
    },
    'Next page',
  );

/**
 * A field for a parameter.
 * @param {OpenApi} api
 * @param {string} id
 * @param {Json} parameter
 * @returns {Input}
 */
function inputOf(api, id, parameter) {
  const { name, in: place, required = false } = parameter;
  const schema = api.resolve(parameter['schema']);
  const fieldId = `try-${id}-${name}`;
  const field =
    schema['enum'] === undefined
      ? element('input', {
          id: fieldId,
          type: 'text',
          spellcheck: 'false',
          autocomplete: 'off',
          required,
          inputmode: schema['type'] === 'integer' && 'numeric',
          placeholder: schema['default'] ?? (required ? undefined : 'not sent'),
        })
      : element(
          'select',
          { id: fieldId },
          element('option', { value: '' }, 'any'),
          ...schema['enum'].map(option),
        );
  // The first record is the most likely to exist.
  if (place === 'path') field.value = '1';
  const generate =
    name === 'Idempotency-Key' ? generateButton(/** @type {HTMLInputElement} */ (field)) : undefined;
  const row = element('div', { class: 'row' }, element('label', { for: fieldId }, name), field, generate);
  return { place, name, field, row };
}

/** @param {string} value */
const option = (value) => element('option', { value }, value);

/** @param {HTMLInputElement} field */
const generateButton = (field) =>
  element(
    'button',
    {
      type: 'button',
      onclick: () => {
        const bytes = crypto.getRandomValues(new Uint8Array(16));
        field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
    },
    'New',
  );

/**
 * @param {string} id
 * @param {Json} operation
 * @returns {Input | undefined}
 */
function bodyOf(id, operation) {
  const json = operation['requestBody']?.content['application/json'];
  if (json === undefined) return undefined;
  const fieldId = `try-${id}-body`;
  const text = writeJson(exampleOf(json));
  const field = element('textarea', { id: fieldId, spellcheck: 'false', rows: text.split('\n').length });
  field.value = text;
  const row = element('div', { class: 'row tall' }, element('label', { for: fieldId }, 'Body'), field);
  return { place: 'body', name: 'body', field, row };
}

/**
 * The request. Empty fields are not sent.
 * @param {string} path
 * @param {Input[]} inputs
 */
function requestOf(path, inputs) {
  const given = inputs.filter(({ field }) => field.value !== '');
  const at = (/** @type {string} */ place) => given.filter((input) => input.place === place);
  const filled = at('path').reduce(
    (target, { name, field }) => target.replace(`{${name}}`, encodeURIComponent(field.value)),
    path,
  );
  const query = new URLSearchParams(at('query').map(({ name, field }) => [name, field.value])).toString();
  const body = at('body')[0]?.field.value;
  return {
    target: query === '' ? filled : `${filled}?${query}`,
    headers: {
      ...Object.fromEntries(at('header').map(({ name, field }) => [name, field.value])),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
}

/**
 * The request as a curl command, with the key in a variable.
 * @param {OpenApi} api
 * @param {string} method
 * @param {ReturnType<typeof requestOf>} request
 */
function curlOf(api, method, { target, headers, body }) {
  return [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
    quote(api.publicUrl + target),
  ].join(' \\\n  ');
}

/** @param {string} text */
const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
