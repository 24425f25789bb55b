// The orders: the list of one status, the one that was placed just now, and a way to cancel them.
import { attempt, byId, element, formOf, on, text } from './page.js';

/**
 * @typedef {import('@petstore/client').Order} Order
 * @typedef {import('@petstore/client').OrderStatus} OrderStatus
 * @typedef {import('@petstore/client').PetStore} PetStore
 */

/** @type {PetStore} */
let store;

/** Is called with an order that was cancelled. @type {(order: Order) => Promise<void>} */
let onCancel;

/** The cursor of the next page. @type {string | undefined} */
let next;

/** Ends the request of the list that was shown before. */
let controller = new AbortController();

on('order-filter', 'change', listOrders);
on('more-orders', 'click', showPage);

/**
 * @param {PetStore} withStore
 * @param {(order: Order) => Promise<void>} cancelled
 */
export async function startOrders(withStore, cancelled) {
  store = withStore;
  onCancel = cancelled;
  await listOrders();
}

/** Shows an order that was placed just now. */
export const addOrder = (/** @type {Order} */ order) => byId('orders').prepend(rowOf(order));

async function listOrders() {
  controller.abort();
  controller = new AbortController();
  next = undefined;
  byId('orders').replaceChildren();
  byId('more-orders').hidden = true;
  await showPage();
}

async function showPage() {
  const more = byId('more-orders');
  const isContinued = document.activeElement === more;
  const status = /** @type {OrderStatus} */ (text(new FormData(formOf('order-filter')), 'status'));
  const { signal } = controller;
  const page = await store.listOrders({ status, sort: '-id', limit: 5, cursor: next, signal });
  ({ next } = page);
  const added = page.items.map(rowOf);
  byId('orders').append(...added);
  more.hidden = next === undefined;
  if (isContinued) added[0]?.focus();
}

/** @param {Order} order */
function rowOf(order) {
  const title = element('span', { textContent: `Order ${order.id}` });
  const placedAt = new Date(order.placedAt).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' });
  const details = element('small', { textContent: `pet ${order.petId}, ${placedAt}` });
  const state = element('span');
  const cancel = element('button', {
    ...{ type: 'button', className: 'plain', textContent: 'Cancel' },
    ariaLabel: `Cancel order ${order.id}`,
  });
  const row = element('li', { tabIndex: -1 }, title, details, state, cancel);
  /** @param {string} status */
  const show = (status) => {
    state.textContent = status;
    state.className = `state ${status}`;
    if (status === 'placed' || status === 'approved') return;
    // The focus stays in the row.
    if (document.activeElement === cancel) row.focus();
    cancel.hidden = true;
  };
  cancel.addEventListener('click', () => {
    void attempt(row, async () => {
      const cancelled = await store.changeOrder(order.id, 'cancelled');
      show(cancelled.status);
      await onCancel(cancelled);
    });
  });
  show(order.status);
  return row;
}
