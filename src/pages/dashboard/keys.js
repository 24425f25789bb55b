// The list of keys: filters and order are in the address.
import { addressWith, pageWith, parameter, timeParameters } from './address.js';
import { byId, element } from './dom.js';
import { badge, bars, column, count, inWords, named, quiet, show, table, usedOf } from './format.js';

/** @typedef {Record<string, any>} Row */

const FILTERS = ['search', 'plan', 'state', 'customer'];

/** The query of the request. @returns {Record<string, string>} */
export function listParameters() {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, parameter(name)]));
  return { ...timeParameters(), ...filters, sort: parameter('sort') || 'id' };
}

/** @param {string} id @param {string} name */
const keyLink = (id, name) => element('a', { href: pageWith({ key: id }) }, named(name === '' ? id : name));

/** A title that sorts on click. @param {string} title @param {string} by */
const sorted = (title, by) => {
  const isSorted = listParameters()['sort'] === by;
  const arrow = by === 'id' ? '↑' : '↓';
  const href = `${addressWith({ show: 'keys', sort: by === 'id' ? '' : by, page: '' })}#keys-title`;
  const mark = element('span', { 'aria-hidden': 'true' }, isSorted ? ` ${arrow}` : '');
  return {
    title: element('a', { href }, title, mark),
    ...(isSorted && { sort: by === 'id' ? 'ascending' : 'descending' }),
  };
};

/** @param {string} name @param {readonly string[]} values */
const choice = (name, values) =>
  element(
    'label',
    {},
    element('span', {}, `${name.charAt(0).toUpperCase()}${name.slice(1)}`),
    element(
      'select',
      { name },
      element('option', { value: '' }, 'all'),
      ...values.map((value) => element('option', { value, selected: parameter(name) === value }, value)),
    ),
  );

/**
 * Builds the search fields once, so that typed text stays.
 * @param {readonly Row[]} plans
 * @param {readonly string[]} states
 */
export function showFilter(plans, states) {
  if (byId('filter').childElementCount > 0) return;
  const search = element('input', {
    ...{ type: 'search', name: 'search', maxlength: 100, value: parameter('search') },
    placeholder: 'Id, name, customer or psk_…',
    'aria-label': 'Search keys by id, name, customer or secret',
  });
  const customer = parameter('customer');
  const filter = element(
    'a',
    { class: 'chip', href: addressWith({ customer: '', page: '' }), 'aria-label': 'All customers' },
    'Customer: ',
    named(customer),
    ' ×',
  );
  const ids = plans.map((plan) => plan['id']);
  byId('filter').replaceChildren(
    ...[search, choice('plan', ids), choice('state', states), ...(customer === '' ? [] : [filter])],
  );
}

/** @param {number} page @param {string} text */
const pageLink = (page, text) =>
  element('a', { href: `${addressWith({ page: page > 0 ? String(page) : '' })}#keys-title` }, text);

/**
 * @param {any} view
 * @param {string} now
 * @param {boolean} isWhole with pages, or the start of the list
 */
export function showKeys(view, now, isWhole) {
  const columns = [
    {
      ...sorted('Name', 'id'),
      cell: (/** @type {Row} */ row) => {
        const link = keyLink(String(row['id']), row['name']);
        const customer = row['customer'];
        if (customer === null) return link;
        const href = pageWith({ show: 'keys', customer });
        return element('div', {}, link, element('small', {}, element('a', { href }, named(customer))));
      },
    },
    column('State', (row) => badge(row['state'])),
    { ...column('Plan', (row) => named(row['plan_id'])), kind: 'optional' },
    { ...count('', 'requests'), ...sorted('Requests', 'requests') },
    {
      ...{ ...sorted('5xx', 'errors'), isNumber: true },
      cell: (/** @type {Row} */ row) =>
        row['errors'] > 0 ? element('span', { class: 'alarm' }, quiet(row['errors'])) : quiet(0),
    },
    { ...count('', 'rejected'), ...sorted('Rejected', 'rejected') },
    {
      ...column('This minute', (row) => usedOf(row['minute_admitted'], row['requests_per_minute'])),
      kind: 'gap',
    },
    {
      ...sorted('Today (UTC)', 'share'),
      cell: (/** @type {Row} */ row) => usedOf(row['day_admitted'], row['requests_per_day']),
    },
    { ...column('Requests over time', (row) => bars(row['parts'])), kind: 'optional' },
    {
      ...sorted('Last used', 'last_use'),
      isNumber: true,
      cell: (/** @type {Row} */ row) => inWords(row['last_used_at'], now),
    },
  ];
  const isFiltered = FILTERS.some((name) => parameter(name) !== '');
  const none = isFiltered ? 'No matching keys.' : 'There are no keys here.';
  show(byId('keys'), table('Keys', columns, isWhole ? view.keys : view.keys.slice(0, 10), none));
  /** @type {HTMLAnchorElement} */ (byId('csv')).href =
    `dashboard/keys.csv?${new URLSearchParams(listParameters())}`;
  const pages = [
    ...(view.page > 0 ? [pageLink(view.page - 1, '← Previous')] : []),
    ...(view.hasMore ? [pageLink(view.page + 1, 'Next →')] : []),
  ];
  show(
    byId('pages'),
    ...(isWhole ? pages : [element('a', { href: pageWith({ show: 'keys' }) }, 'All keys →')]),
  );
}
