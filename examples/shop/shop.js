// A pet shop on the typed client: the pets, with their filters, orders and changes.
import { PetStore } from '@petstore/client';
import { editPet } from './editor.js';
import { addOrder, startOrders } from './orders.js';
import { attempt, byId, element, endWait, formOf, on, say, showWait, text } from './page.js';

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

/** The names of categories, by their numbers. @type {Map<string, string>} */
const categories = new Map();

/** More than a list to choose from can show. */
const CATEGORIES_MAX = 500;

/** Shows a change of a pet in its row. @type {Map<string, (change: Partial<Pet>) => void>} */
const rows = new Map();

on('connect', 'submit', async (fields) => {
  store = new PetStore({
    baseUrl: text(fields, 'baseUrl'),
    apiKey: text(fields, 'apiKey'),
    onResponse: ({ status, rateLimit }) => {
      endWait();
      // Without a valid key that could be looked up, the limit is that of the address.
      if (status !== 401 && status !== 503) showLimit(rateLimit);
    },
    onWait: ({ waitMs }) => showWait('No requests are left.', waitMs),
    onRetry: ({ error, waitMs }) => showWait(error.message, waitMs),
  });
  await listPets();
  byId('shop').hidden = false;
  await listCategories();
  await showInventory();
  await startOrders(store, async ({ id, petId }) => {
    rows.get(petId)?.({ status: 'available' });
    say(`Order ${id} is cancelled.`);
    await showInventory();
  });
});

on('filters', 'change', listPets);
on('filters', 'submit', listPets);
on('more', 'click', showPage);

on('create', 'submit', async (fields) => {
  const pet = await store.createPet({
    ...{ name: text(fields, 'name'), categoryId: text(fields, 'categoryId') },
    status: 'available',
  });
  formOf('create').reset();
  byId('create').querySelector('input')?.focus();
  await attempt(byId('filters'), listPets, 'change');
  say(`${pet.name} has the number ${pet.id}.`);
  await showInventory();
});

/** Reads the names of categories, to show them and to choose from. */
async function listCategories() {
  const named = await store.categories({ limit: 100 }).toArray(CATEGORIES_MAX);
  categories.clear();
  for (const { id, name } of named) categories.set(id, name);
  const options = named.map(({ id, name }) => element('option', { value: id, label: name }));
  byId('category-names').replaceChildren(...options);
  for (const show of rows.values()) show({});
}

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
  rows.clear();
  byId('pets').replaceChildren();
  byId('more').hidden = true;
  await showPage();
}

async function showPage() {
  const more = byId('more');
  const pets = byId('pets');
  const isContinued = document.activeElement === more;
  const page = await store.listPets({ ...filter, cursor: next });
  ({ next } = page);
  const added = page.items.map(rowOf);
  pets.append(...added);
  more.hidden = next === undefined;
  if (isContinued) added[0]?.focus();
  if (pets.childElementCount === 0) say('No pet passes the filters.');
}

/** A pet, with buttons to order and to change it. @param {Pet} pet */
function rowOf(pet) {
  const [name, details, state] = [element('span'), element('small'), element('span')];
  const order = element('button', { type: 'button', textContent: 'Order' });
  const edit = element('button', { type: 'button', className: 'plain', textContent: 'Edit' });
  const row = element('li', { tabIndex: -1 }, name, details, state, element('div', {}, edit, order));
  /** @param {Partial<Pet>} change */
  const show = (change) => {
    pet = { ...pet, ...change };
    const { status = 'no status' } = pet;
    name.textContent = pet.name;
    const category = categories.get(pet.categoryId) ?? `category ${pet.categoryId}`;
    details.textContent = `number ${pet.id}, ${category}`;
    state.textContent = status;
    state.className = `state ${status}`;
    order.ariaLabel = `Order ${pet.name}`;
    edit.ariaLabel = `Edit ${pet.name}`;
    // The focus stays in the row.
    if (document.activeElement === order && status !== 'available') edit.focus();
    order.hidden = status !== 'available';
  };
  order.addEventListener('click', () => {
    void attempt(row, async () => {
      const placed = await store.placeOrder(pet.id);
      show({ status: 'pending' });
      say(`${pet.name} is yours: order ${placed.id}.`);
      addOrder(placed);
      await showInventory();
    });
  });
  edit.addEventListener('click', () => {
    void attempt(row, () =>
      editPet(store, pet.id, async (changed) => {
        show(changed);
        say(`${changed.name} is saved.`);
        await showInventory();
      }),
    );
  });
  rows.set(pet.id, show);
  show({});
  return row;
}

async function showInventory() {
  const { available, pending, sold } = await store.inventory();
  byId('inventory').textContent = `${available} available, ${pending} pending, ${sold} sold`;
}

/** The window with the fewest requests remaining. @param {RateLimit | undefined} rateLimit */
function showLimit(rateLimit) {
  if (rateLimit === undefined) return;
  const { limit, remaining, resetUnixSeconds } = rateLimit;
  const reset = new Date(resetUnixSeconds * 1000).toLocaleTimeString();
  byId('limit').textContent = `${remaining} of ${limit} requests remaining until ${reset}`;
}
