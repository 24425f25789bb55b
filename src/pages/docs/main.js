// Starts the page. The guide is in index.html; the reference is made from the OpenAPI document of the service.
import { byId, copyButton, element, statusBadge } from './dom.js';
import { setUpKeyDialog } from './key-dialog.js';
import { highlighted } from './highlight.js';
import { followReading, setUpFilter, setUpMenu } from './navigation.js';
import { OpenApi } from './openapi.js';
import { renderReference } from './reference.js';

setUpKeyDialog();
setUpMenu();
setUpFilter();
for (const snippet of document.querySelectorAll('.prose > pre')) {
  const box = element('div', { class: 'copyable' });
  snippet.replaceWith(box);
  box.append(snippet, copyButton(snippet));
}
showAddress(new URL('/v1', location.href).href);
for (const code of document.querySelectorAll('.prose pre > code')) highlightTexts(code);
try {
  const api = await OpenApi.load();
  showAddress(api.publicUrl);
  byId('version').textContent = api.document['info'].version;
  byId('error-table').replaceChildren(errorTable(api));
  // It has none while the database is down.
  const plans = api.document['x-plans'];
  if (plans !== undefined) byId('plan-table').replaceChildren(planTable(plans));
  byId('deprecated-operations').replaceChildren(deprecations(api));
  const { links, sections } = renderReference(api);
  byId('contents-reference').replaceChildren(...links);
  byId('reference').replaceChildren(...sections);
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  byId('reference').replaceChildren(
    element('p', { class: 'prose fault' }, `The reference could not be loaded: ${why}`),
  );
}
for (const heading of document.querySelectorAll('section[id] > :is(h2, h3)')) {
  // For the mouse: the contents have the same links.
  const href = `#${heading.parentElement?.id}`;
  heading.append(element('a', { class: 'anchor', href, tabindex: -1, 'aria-hidden': 'true' }, '#'));
}
byId('reference').removeAttribute('aria-busy');
// Jumps once, after layout above the target is final: the browser may have jumped too early, or found no target.
if (location.hash !== '') location.replace(location.hash);
// Smooth scrolling begins with the first click, because a later layout change would interrupt the jump.
addEventListener('click', () => document.documentElement.classList.add('scrolls'), {
  capture: true,
  once: true,
});
followReading();

// Expands all details for printing.
/** @type {HTMLDetailsElement[]} */
let closed = [];
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('details')].filter(({ open }) => !open);
  for (const one of closed) one.open = true;
});
addEventListener('afterprint', () => {
  for (const one of closed) one.open = false;
});

/** The addresses in a sample stay elements. @param {Element} code */
function highlightTexts(code) {
  for (const node of [...code.childNodes])
    if (node instanceof Text) node.replaceWith(...highlighted(node.data));
}

/** @param {string} address */
function showAddress(address) {
  for (const place of document.querySelectorAll('[data-api]')) place.textContent = address;
  for (const place of document.querySelectorAll('[data-link]'))
    place.textContent = new URL(place.getAttribute('data-link') ?? '', location.href).href;
}

/** @param {OpenApi} api */
function errorTable(api) {
  const rows = api.errorCodes.map(({ name, status, meaning }) => [
    statusBadge(status),
    element('a', { id: `error-${name}`, href: `#error-${name}` }, element('code', {}, name)),
    meaning,
  ]);
  return table(['Status', 'code', 'Meaning, and what to do'], rows);
}

/**
 * The keys of a plan without any limit have their own.
 * @param {import('./openapi.js').Json} plan
 * @param {string[]} limits
 */
function noLimitOf(plan, limits) {
  return limits.every((name) => plan[name] === null) ? 'set for each key' : 'none';
}

/** @param {import('./openapi.js').Json[]} plans */
function planTable(plans) {
  const limits = Object.keys(plans[0] ?? {}).filter((name) => name.startsWith('requestsPer'));
  const rows = plans.map((plan) => [
    element('code', {}, String(plan['id'])),
    ...limits.map((name) => plan[name]?.toLocaleString('en') ?? noLimitOf(plan, limits)),
  ]);
  const titles = limits.map((name) => `Requests per ${name.replace('requestsPer', '').toLowerCase()}`);
  return table(['Plan', ...titles], rows);
}

/**
 * @param {string[]} headings
 * @param {(Node | string)[][]} rows
 */
function table(headings, rows) {
  const head = headings.map((name) => element('th', { scope: 'col' }, name));
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))));
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body),
  );
}

/** @param {OpenApi} api */
function deprecations(api) {
  const items = api.groups
    .flatMap(({ operations }) => operations)
    .filter(({ operation }) => operation['deprecated'])
    .map(({ id, method, path, operation }) => [
      element('a', { href: `#${id}` }, `${method} ${path}`),
      ` is removed on ${operation['x-sunset']}.`,
    ]);
  return element('ul', {}, ...items.map((parts) => element('li', {}, ...parts)));
}
