// A pet shop on the typed client.
import { PetStore } from '@petstore/client';

/**
 * @typedef {import('@petstore/client').Pet} Pet
 * @typedef {import('@petstore/client').PetFilter} PetFilter
 * @typedef {import('@petstore/client').PetStatus} PetStatus
 * @typedef {import('@petstore/client').RateLimit} RateLimit
 */

/** @type {PetStore} */
let store;

/** The current list. @type {PetFilter} */
let filter = {};

/** Ends the requests of the list that was shown before. */
let controller = new AbortController();

/** The cursor of the next page. @type {string | undefined} */
let next;

on('connect', 'submit', async (fields) => {
  store = new PetStore({
    baseUrl: text(fields, 'baseUrl'),
    apiKey: text(fields, 'apiKey'),
    onResponse: ({ rateLimit }) => showLimit(rateLimit),
    onWait: ({ waitMs }) => say(`No requests are left. Trying again in ${Math.ceil(waitMs / 1000)} s.`),
    onRetry: ({ error, waitMs }) => say(`${error.message} Trying again in ${Math.ceil(waitMs / 1000)} s.`),
  });
  await listPets();
  byId('shop').hidden = false;
});

on('filters', 'change', listPets);
on('filters', 'submit', listPets);
on('more', 'click', showPage);

on('create', 'submit', async (fields) => {
  const form = formOf('create');
  // A second click would add a second pet: the client repeats a call under the same key, but each call has its own.
  form.inert = true;
  const pet = await store
    .createPet({ name: text(fields, 'name'), categoryId: text(fields, 'categoryId'), status: 'available' })
    .finally(() => (form.inert = false));
  form.reset();
  await listPets();
  say(`${pet.name} has the number ${pet.id}.`);
});

/** Lists the pets that pass the filters, from the first page. */
async function listPets() {
  const fields = new FormData(formOf('filters'));
  controller.abort();
  controller = new AbortController();
  const statuses = /** @type {PetStatus[]} */ (fields.getAll('status'));
  filter = {
    status: statuses.length === 0 ? undefined : statuses,
    categoryId: text(fields, 'categoryId') || undefined,
    sort: text(fields, 'sort') === 'id' ? 'id' : '-id',
    limit: 10,
    signal: controller.signal,
  };
  next = undefined;
  byId('pets').replaceChildren();
  await showPage();
}

async function showPage() {
  byId('more').hidden = true;
  const page = await store.listPets({ ...filter, cursor: next });
  ({ next } = page);
  byId('pets').append(...page.items.map(rowOf));
  byId('more').hidden = next === undefined;
  say(byId('pets').childElementCount === 0 ? 'No pet passes the filters.' : '');
}

/** A pet, with a button to order it. */
function rowOf(/** @type {Pet} */ { id, name, categoryId, status = 'no status' }) {
  const state = element('span', { className: `state ${status}`, textContent: status });
  const order = element('button', { type: 'button', textContent: 'Order', ariaLabel: `Order ${name}` });
  order.hidden = status !== 'available';
  order.addEventListener('click', () => {
    // A second click would be an order of its own.
    order.disabled = true;
    void report(async () => {
      const placed = await store.placeOrder(id);
      state.textContent = 'pending';
      state.className = 'state pending';
      order.hidden = true;
      say(`${name} is yours: order ${placed.id}.`);
    }).finally(() => (order.disabled = false));
  });
  const row = element('li', {});
  row.append(
    element('span', { textContent: name }),
    element('small', { textContent: `number ${id}, category ${categoryId}` }),
    ...[state, order],
  );
  return row;
}

/** The window with the fewest requests remaining. */
function showLimit(/** @type {RateLimit | undefined} */ rateLimit) {
  if (rateLimit === undefined) return;
  const { limit, remaining, resetUnixSeconds } = rateLimit;
  const reset = new Date(resetUnixSeconds * 1000).toLocaleTimeString();
  byId('limit').textContent = `${remaining} of ${limit} requests remaining until ${reset}`;
}

/** Runs a function on an event, with the fields of the form. */
function on(
  /** @type {string} */ id,
  /** @type {string} */ type,
  /** @type {(fields: FormData) => Promise<void>} */ run,
) {
  byId(id).addEventListener(type, (event) => {
    event.preventDefault();
    const { currentTarget } = event;
    void report(() =>
      run(new FormData(currentTarget instanceof HTMLFormElement ? currentTarget : undefined)),
    );
  });
}

/** Runs a function, and shows its error. */
async function report(/** @type {() => Promise<void>} */ run) {
  say('');
  try {
    await run();
  } catch (error) {
    // A newer list aborts the request of the one before.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    say(error instanceof Error ? error.message : String(error));
  }
}

function say(/** @type {string} */ message) {
  byId('message').textContent = message;
}

/** A field without the white space around it. */
function text(/** @type {FormData} */ fields, /** @type {string} */ name) {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function byId(/** @type {string} */ id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

function formOf(/** @type {string} */ id) {
  return /** @type {HTMLFormElement} */ (byId(id));
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 */
function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
