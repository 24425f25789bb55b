// The form to try an operation: parameters, body, a sample in several languages, and the response.
import { nextOf, showFailure, showResponse } from './response.js';
import { copyButton, element } from './dom.js';
import { writeJson } from './json.js';
import { key } from './key.js';
import { exampleOf } from './openapi.js';
import { LANGUAGES } from './samples.js';

/**
 * @typedef {import('./openapi.js').Json} Json
 * @typedef {import('./openapi.js').OpenApi} OpenApi
 * @typedef {import('./openapi.js').Operation} Operation
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field
 * @typedef {{ place: string, name: string, schema: Json, field: Field, row: HTMLElement }} Input
 * @typedef {{ place: string, name: string, sent: string[] }} Value
 * @typedef {{ id: string, method: string, target: string, headers: Record<string, string>, body?: string | undefined, values: Value[] }} Request
 */

/**
 * @param {OpenApi} api
 * @param {Operation} one
 */
export function tryForm(api, one) {
  const { id, operation } = one;
  /** @type {Input[]} */
  const inputs = operation['parameters'].map((/** @type {Json} */ parameter) =>
    inputOf(api, id, api.resolve(parameter)),
  );
  const bodyInput = bodyOf(id, operation);
  if (bodyInput !== undefined) inputs.push(bodyInput);

  const sample = element('code', {});
  const language = element('select', { 'aria-label': 'Language' }, ...Object.keys(LANGUAGES).map(option));
  const send = element('button', { type: 'submit', class: 'primary' }, 'Send');
  const outcome = element('p', { class: 'outcome', role: 'status' });
  const details = element('div', { class: 'response' });

  const refresh = () => {
    const write = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (language.value)];
    sample.textContent = write(requestOf(one, inputs), api.publicUrl);
  };
  const onsubmit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    refresh();
    send.disabled = true;
    outcome.replaceChildren('Waiting for the response …');
    const shown = await sendRequest(api, requestOf(one, inputs));
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
    { class: 'try', 'aria-label': `Try: ${operation['summary']}`, oninput: refresh, onsubmit },
    element('h4', {}, 'Try it'),
    ...inputs.map(({ row }) => row),
    element('div', { class: 'actions' }, send),
    element(
      'div',
      { class: 'sample' },
      element('div', { class: 'sample-bar' }, language, copyButton(sample)),
      element('pre', {}, sample),
    ),
    outcome,
    details,
  );
  // All forms show the same language.
  language.addEventListener('change', () => {
    for (const other of document.querySelectorAll('.sample-bar select')) {
      if (other === language || !(other instanceof HTMLSelectElement)) continue;
      other.value = language.value;
      other.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
  refresh();
  return form;
}

/**
 * Sends a request and shows the response.
 * @param {OpenApi} api
 * @param {Request} request
 * @returns {Promise<{ outcome: (Node | string)[], details: Node[], next?: string | undefined }>}
 */
async function sendRequest(api, { method, target, headers, body }) {
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
          field.value = searchParams.getAll(name).join(', ');
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
  const words = schema['type'] === 'array' ? (api.resolve(schema['items'])['enum'] ?? ['1', '2']) : [];
  const hint = words.length > 0 ? `such as ${words.slice(0, 2).join(', ')}` : 'not sent';
  const field =
    schema['enum'] === undefined
      ? element('input', {
          id: fieldId,
          type: 'text',
          spellcheck: 'false',
          autocomplete: 'off',
          required,
          inputmode: schema['type'] === 'integer' && 'numeric',
          placeholder: schema['default'] ?? (required ? undefined : hint),
        })
      : element(
          'select',
          { id: fieldId },
          element('option', { value: '' }, schema['default'] ?? 'any'),
          ...schema['enum'].map(option),
        );
  // The examples of the document exist in a new store.
  if (place === 'path') field.value = schema['examples'][0];
  const generate =
    name === 'Idempotency-Key' ? generateButton(/** @type {HTMLInputElement} */ (field)) : undefined;
  const row = element('div', { class: 'row' }, element('label', { for: fieldId }, name), field, generate);
  return { place, name, schema, field, row };
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
  return { place: 'body', name: 'body', schema: {}, field, row };
}

/**
 * The request. Empty fields are not sent.
 * @param {Operation} operation
 * @param {Input[]} inputs
 * @returns {Request}
 */
function requestOf({ id, method, path }, inputs) {
  const values = inputs.map(({ place, name, schema, field: { value } }) => {
    const sent = schema['type'] === 'array' ? value.split(/[\s,]+/) : [value];
    return { place, name, sent: sent.filter((one) => one !== '') };
  });
  /** @returns {string[][]} */
  const at = (/** @type {string} */ wanted) =>
    values
      .filter(({ place }) => place === wanted)
      .flatMap(({ name, sent }) => sent.map((value) => [name, value]));
  const filled = at('path').reduce(
    (target, [name, value = '']) => target.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(at('query')).toString();
  const body = at('body')[0]?.[1];
  const headers = {
    ...Object.fromEntries(at('header')),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const target = query === '' ? filled : `${filled}?${query}`;
  return { id, method, target, headers, body, values: values.filter(({ sent }) => sent.length > 0) };
}
