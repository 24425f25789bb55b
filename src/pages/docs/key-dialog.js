// The API key: kept in this module's memory, and for the tab if the user wants.
import { byId, kept } from './dom.js';

/** psk_, 32 random characters, 6 of a checksum. */
const FORM = /^psk_[0-9A-Za-z]{38}$/;

/** Its name in the storage of the tab. */
const STORED = 'api-key';

let current = '';

export const key = {
  /** The headers of a request. @returns {Record<string, string>} */
  get headers() {
    return current === '' ? {} : { Authorization: `Bearer ${current}` };
  },
};

const stored = () => kept('sessionStorage', STORED);

/** @type {HTMLDialogElement} */
const dialog = byId('key-dialog');
/** @type {HTMLInputElement} */
const input = byId('key-input');
/** @type {HTMLInputElement} */
const keep = byId('key-keep');
const button = byId('key-button');
const fault = byId('key-fault');

/** Opens the key dialog, which shows what is wrong with the current key. */
export function askForKey(wrong = '') {
  fault.textContent = wrong;
  // A late response must not replace what is being typed.
  if (dialog.open) return;
  input.value = current;
  keep.checked = stored() !== '';
  byId('key-forget').hidden = current === '';
  dialog.showModal();
  input.select();
}

/** Adds the listeners of the button and the dialog. */
export function setUpKeyDialog() {
  /** @param {string} value */
  const use = (value) => {
    current = value;
    kept('sessionStorage', STORED, keep.checked ? value : '');
    button.textContent = value === '' ? 'Use an API key' : `Key ${value.slice(0, 8)}…`;
    button.classList.toggle('primary', value === '');
    byId('limits').replaceChildren();
    dialog.close();
  };

  for (const opener of document.querySelectorAll('#key-button, [data-opens-key]'))
    opener.addEventListener('click', () => askForKey());
  byId('key-cancel').addEventListener('click', () => dialog.close());
  byId('key-forget').addEventListener('click', () => use(''));
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const value = input.value.trim();
    if (FORM.test(value)) return use(value);
    fault.textContent = 'An API key has the form psk_ followed by 38 letters and digits.';
    input.focus();
  });
  dialog.addEventListener('close', () => (input.value = ''));

  keep.checked = stored() !== '';
  if (keep.checked) use(stored());
}
