// The page: its elements, what it says, and how the calls of the client end.
import { isPetStoreError } from '@petstore/client';

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id */
export const formOf = (id) => /** @type {HTMLFormElement} */ (byId(id));

/** @param {string} id */
export const dialogOf = (id) => /** @type {HTMLDialogElement} */ (byId(id));

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {...HTMLElement} children
 */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * A field without the white space around it.
 * @param {FormData} fields
 * @param {string} name
 */
export function text(fields, name) {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * Runs a function on an event, with the fields of the form.
 * @param {string} id
 * @param {string} type
 * @param {(fields: FormData) => Promise<void>} run
 */
export function on(id, type, run) {
  const part = byId(id);
  part.addEventListener(type, (event) => {
    event.preventDefault();
    void attempt(part, () => run(new FormData(part instanceof HTMLFormElement ? part : undefined)), type);
  });
}

/** How many calls of `attempt` a part waits for. @type {WeakMap<HTMLElement, number>} */
const running = new WeakMap();

/** @param {HTMLElement} part */
export const isBusy = (part) => part.ariaBusy === 'true';

/**
 * Runs a function, during which a part of the page is busy, and shows its error. A second click during that time does nothing: it would
 * add a second pet, because the client repeats a call under the same key, but each call has its own.
 * @param {HTMLElement} part
 * @param {() => Promise<void>} run
 * @param {string} [type]
 */
export async function attempt(part, run, type = 'click') {
  if (isBusy(part) && type !== 'change') return;
  running.set(part, (running.get(part) ?? 0) + 1);
  part.ariaBusy = 'true';
  say('');
  clearFaults(part);
  try {
    await run();
  } catch (error) {
    // A newer list aborts the request of the one before.
    if (!(error instanceof DOMException && error.name === 'AbortError')) {
      endWait();
      showError(part, error);
    }
  }
  running.set(part, (running.get(part) ?? 1) - 1);
  if (running.get(part) === 0) part.ariaBusy = null;
}

/**
 * Says something about the page, or about a part that has a place for it.
 * @param {string} message
 * @param {HTMLElement} [place]
 */
export function say(message, place = byId('message')) {
  place.className = '';
  place.textContent = message;
}

/**
 * @param {HTMLElement} part
 * @param {unknown} error
 */
function showError(part, error) {
  // Of the service, or of the client, which sends no number that is none.
  const fields = isPetStoreError(error) ? error.fields : [];
  if (fields.length > 0 && markFields(part, fields) === fields.length) return;
  /** @type {HTMLElement} */
  const place = part.querySelector('[role="alert"]') ?? byId('message');
  say(error instanceof Error ? error.message : String(error), place);
  place.className = 'fault';
}

/** @param {HTMLElement} part */
export function clearFaults(part) {
  for (const old of part.querySelectorAll('.fault')) old.textContent = '';
  for (const old of part.querySelectorAll('[aria-invalid]')) old.removeAttribute('aria-invalid');
}

/**
 * Marks the fields that are wrong, each with its sentence, and focuses the first. Returns how many were found.
 * @param {HTMLElement} part
 * @param {readonly import('@petstore/client').FieldError[]} faults
 */
function markFields(part, faults) {
  const marked = faults.flatMap(({ field, message }) => {
    const input = part instanceof HTMLFormElement ? part.elements.namedItem(field) : null;
    if (!(input instanceof HTMLElement)) return [];
    const id = `${part.id}-${field}-fault`;
    const place = document.getElementById(id) ?? element('p', { id, className: 'fault' });
    place.textContent = message;
    // Not within the label, whose text names the field.
    input.closest('label')?.after(place);
    input.ariaInvalid = 'true';
    input.setAttribute('aria-describedby', id);
    return [input];
  });
  marked[0]?.focus();
  return marked.length;
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let countDown;

/**
 * Counts the seconds until the client goes on.
 * @param {string} why
 * @param {number} waitMs
 */
export function showWait(why, waitMs) {
  endWait();
  const until = performance.now() + waitMs;
  const show = () => {
    const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    byId('wait').textContent = `${why} Trying again in ${seconds} s.`;
  };
  show();
  countDown = setInterval(show, 1000);
}

export function endWait() {
  clearInterval(countDown);
  byId('wait').textContent = '';
}
