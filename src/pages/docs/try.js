// The form to try an operation: parameters, body, a snippet in several languages, and the response.
import { copyButton, element, fold, kept } from './dom.js';
import { writeJson } from './json.js';
import { highlighted } from './highlight.js';
import { askForKey, key } from './key-dialog.js';
import { exampleOf } from './openapi.js';
import { exampleResponse, showFailure, showResponse } from './response.js';
import { LANGUAGES } from './snippets.js';

/**
 * @typedef {import('./openapi.js').Json} Json
 * @typedef {import('./openapi.js').OpenApi} OpenApi
 * @typedef {import('./openapi.js').Operation} Operation
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field
 * @typedef {{ place: string, name: string, row: HTMLElement, read: () => string[], write: (values: string[]) => void }} Input
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
  const permalink = permalinkTo(id, inputs);

  const snippet = element('code', {});
  const languages = element('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' });
  const deletes = one.method === 'DELETE';
  const send = element(
    'button',
    { type: 'submit', class: deletes ? 'danger' : 'primary', title: 'Ctrl+Enter' },
    deletes ? 'Send DELETE' : 'Send',
  );
  const outcome = element('p', { class: 'outcome', role: 'status' });
  const details = element('div', { class: 'response' }, ...exampleResponse(api, operation));

  const refresh = () => {
    snippet.replaceChildren(...highlighted(LANGUAGES[languageOf()](requestOf(one, inputs), api.publicUrl)));
    for (const tab of languages.children)
      tab.setAttribute('aria-pressed', String(tab.textContent === languageOf()));
    permalink.refresh();
  };
  const onsubmit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (send.disabled) return;
    refresh();
    const request = requestOf(one, inputs);
    if (deletes && !confirm(`DELETE ${request.target} cannot be undone. Send it?`)) return;
    send.disabled = true;
    outcome.replaceChildren('Waiting for the response …');
    const shown = await sendRequest(api, request);
    outcome.replaceChildren(...shown.outcome);
    details.replaceChildren(...shown.details);
    if (shown.next !== undefined) outcome.append(nextButton(form, inputs, shown.next));
    send.disabled = false;
    if (document.activeElement === document.body) send.focus({ preventScroll: true });
    outcome.scrollIntoView({ block: 'nearest' });
    if (shown.keyFault !== undefined) askForKey(shown.keyFault);
  };
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  };
  const conditions = inputs.filter(isConditional);

  const form = element(
    'form',
    {
      id: `try-${id}`,
      class: 'beside',
      'aria-label': `Try: ${operation['summary']}`,
      oninput: refresh,
      onkeydown,
      onsubmit,
    },
    element(
      'div',
      { class: 'snippet' },
      element('div', { class: 'snippet-bar' }, languages, copyButton(snippet)),
      element('pre', { tabindex: 0 }, snippet),
    ),
    element(
      'div',
      { class: 'try' },
      element('h4', {}, 'Try it'),
      ...inputs.filter((input) => !isConditional(input)).map(({ row }) => row),
      conditions.length === 0 ? undefined : fold(['Headers'], ...conditions.map(({ row }) => row)),
      element('div', { class: 'actions' }, send, permalink.link),
      outcome,
      details,
    ),
  );
  languages.append(
    ...Object.keys(LANGUAGES).map((name) => element('button', { type: 'button', onclick: choose }, name)),
  );
  refresh();
  return form;
}

const choose = (/** @type {MouseEvent} */ { target }) => {
  chosen = /** @type {HTMLElement} */ (target).textContent ?? '';
  kept('localStorage', LANGUAGE, chosen);
  // All forms show the same language.
  for (const other of document.querySelectorAll('form.beside')) other.dispatchEvent(new Event('input'));
};

/**
 * Sends a request and shows the response.
 * @param {OpenApi} api
 * @param {Request} request
 * @returns {Promise<import('./response.js').Shown>}
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
    return showResponse(response, text, performance.now() - sentAt);
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
        for (const { name, write } of inputs.filter(({ place }) => place === 'query')) {
          write(searchParams.getAll(name));
        }
        form.requestSubmit();
      },
    },
    'Next page',
  );

/**
 * A link to a form with its values, which the form reads from the URL. Headers are left out, because they belong to one request.
 * @param {string} id
 * @param {Input[]} inputs
 */
function permalinkTo(id, inputs) {
  const written = inputs.filter(({ place }) => place !== 'header');
  const read = () => written.map((input) => input.read().join());
  const initial = read();
  if (location.hash === `#${id}`) {
    const given = new URLSearchParams(location.search);
    for (const { name, write } of written) if (given.has(name)) write(given.getAll(name));
  }
  const onclick = (/** @type {MouseEvent} */ event) => {
    event.preventDefault();
    history.replaceState(null, '', link.href);
    link.textContent = 'Set in the address bar';
    setTimeout(() => (link.textContent = LINK_TEXT), 2000);
  };
  const link = element('a', { class: 'permalink', onclick }, LINK_TEXT);
  const refresh = () => {
    const now = read();
    const changed = written.filter((_, index) => now[index] !== initial[index]);
    const parameters = new URLSearchParams(
      changed.flatMap(({ name, read: values }) => values().map((value) => [name, value])),
    );
    link.href = `docs${parameters.size === 0 ? '' : `?${parameters}`}#${id}`;
  };
  return { link, refresh };
}

const LINK_TEXT = 'Link to this request';

const isConditional = (/** @type {Input} */ { name }) => name.startsWith('If-');

/** The storage key of the language. */
const LANGUAGE = 'language';
let chosen = kept('localStorage', LANGUAGE);

const languageOf = () => /** @type {keyof typeof LANGUAGES} */ (chosen in LANGUAGES ? chosen : 'curl');

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
  const isList = schema['type'] === 'array';
  const words = isList ? api.resolve(schema['items'])['enum'] : undefined;
  if (words !== undefined) return checkBoxes(place, name, words);
  const hint = isList ? 'such as 1, 2' : 'not sent';
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
          ...schema['enum'].filter((/** @type {string} */ one) => one !== schema['default']).map(option),
        );
  // The examples of the document exist in a new store.
  if (place === 'path') field.value = schema['examples'][0];
  const generate =
    name === 'Idempotency-Key' ? generateButton(/** @type {HTMLInputElement} */ (field)) : undefined;
  const row = element('div', { class: 'row' }, element('label', { for: fieldId }, name), field, generate);
  return {
    ...{ place, name, row },
    read: () => (isList ? field.value.split(/[\s,]+/) : [field.value]),
    write: (values) => (field.value = values.join(', ')),
  };
}

/**
 * One box for each value of a closed set.
 * @param {string} place
 * @param {string} name
 * @param {string[]} words
 * @returns {Input}
 */
function checkBoxes(place, name, words) {
  const boxes = words.map((value) => element('input', { type: 'checkbox', value }));
  const labels = boxes.map((box) => element('label', {}, box, ` ${box.value}`));
  const row = element(
    'div',
    { class: 'row', role: 'group', 'aria-label': name },
    element('span', { class: 'label' }, name),
    element('div', { class: 'boxes' }, ...labels),
  );
  return {
    ...{ place, name, row },
    read: () => boxes.filter(({ checked }) => checked).map(({ value }) => value),
    write: (values) => boxes.forEach((box) => (box.checked = values.includes(box.value))),
  };
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
        field.value = crypto.getRandomValues(new Uint32Array(4)).join('-');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      },
    },
    'Generate',
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
  return {
    place: 'body',
    name: 'body',
    row,
    read: () => [field.value],
    write: ([value = '']) => (field.value = value),
  };
}

/**
 * The request. Empty fields are not sent.
 * @param {Operation} operation
 * @param {Input[]} inputs
 * @returns {Request}
 */
function requestOf({ id, method, path }, inputs) {
  const values = inputs.map(({ place, name, read }) => ({
    place,
    name,
    sent: read().filter((one) => one !== ''),
  }));
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
