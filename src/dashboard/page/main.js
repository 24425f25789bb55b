// The page asks for its views every ten seconds, and shows them without moving anything. What is looked at is in the address.
import { byId, element } from './dom.js';
import { outcomeChart } from './chart.js';
import { number, spark, table, time, usedOf } from './format.js';
import { showKey, toOutcomes } from './key.js';

/** @typedef {Record<string, any>} Row */

const EVERY_MS = 10_000;
const HOURS = /** @type {Record<string, number>} */ ({ '24h': 24, '7d': 168, '35d': 840 });

const range = /** @type {HTMLSelectElement} */ (byId('range'));
const search = /** @type {HTMLInputElement} */ (byId('search'));
const sort = /** @type {HTMLSelectElement} */ (byId('sort'));
const showHours = outcomeChart(byId('hours'));
const keyChart = element('div');
const showKeyHours = outcomeChart(keyChart);

/** @param {string} name */
const parameter = (name) => new URLSearchParams(location.search).get(name) ?? '';

/**
 * The address with other values; an empty one is left out.
 * @param {Record<string, string>} changes
 */
function addressWith(changes) {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  return parameters.size === 0 ? 'dashboard' : `dashboard?${parameters}`;
}

/**
 * A view of the service, with the time at which it was made.
 * @param {string} name
 * @param {Record<string, string>} [parameters]
 */
async function read(name, parameters = {}) {
  const response = await fetch(`dashboard/data/${name}?${new URLSearchParams(parameters)}`, {
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

/** @param {string} id @param {string} name */
const keyLink = (id, name) => element('a', { href: `dashboard?key=${id}` }, name === '' ? id : name);

/** @param {Row} row */
const ofKey = (row) => keyLink(String(row['api_key_id']), row['name'] ?? `key ${row['api_key_id']}`);

const column = (/** @type {string} */ title, /** @type {(row: Row) => Node | string} */ cell) => ({
  title,
  cell,
});
const count = (/** @type {string} */ title, /** @type {string} */ member) => ({
  title,
  cell: (/** @type {Row} */ row) => number(row[member]),
  isNumber: true,
});

/** @type {Record<string, () => Promise<void>>} */
const VIEWS = {
  async summary() {
    const { view } = await read('summary');
    byId('as-of').textContent = `as of ${view.now.slice(0, 19).replace('T', ' ')} UTC`;
    const facts = {
      'admitted today': view.admitted,
      'rejected today': view.rejected,
      'active keys': view.active,
      'banned now': view.banned,
      'suspended now': view.suspended,
    };
    byId('summary').replaceChildren(
      ...Object.entries(facts).map(([name, value]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, number(value))),
      ),
    );
    const columns = [
      column('plan', (row) => row['id']),
      count('per minute', 'requests_per_minute'),
      count('per day', 'requests_per_day'),
      count('keys', 'keys'),
      count('> 80 %', 'near'),
    ];
    byId('plans').replaceChildren(table('Plans', columns, view.plans, 'There are no plans.'));
    problems.set('summary', view.problems);
  },
  async hours() {
    const { view } = await read('hours', { range: range.value });
    showHours(view);
    const columns = [
      column('operation', (row) => row['operation']),
      count('requests', 'requests'),
      count('mean ms', 'meanMs'),
    ];
    byId('operations').replaceChildren(
      table('Operations', columns, view.operations, 'No requests in this time.'),
    );
  },
  async keys() {
    const parameters = { sort: sort.value, search: search.value.trim(), page: parameter('page') || '0' };
    const { view } = await read('keys', parameters);
    const columns = [
      { ...count('id', 'id'), cell: (/** @type {Row} */ row) => String(row['id']) },
      column('name', (row) => keyLink(String(row['id']), row['name'])),
      column('plan', (row) => row['plan_id']),
      column('state', (row) => element('span', { class: `state ${row['state']}` }, row['state'])),
      column('this minute', (row) => usedOf(row['minute_admitted'], row['requests_per_minute'])),
      column('today', (row) => usedOf(row['day_admitted'], row['requests_per_day'])),
      count('rejected', 'day_refused'),
      column('24 hours', (row) => spark(row['hours'])),
      column('last used', (row) => time(row['last_used_at'])),
    ];
    const none =
      search.value === '' ? 'There are no keys.' : 'No key has this id, and no name begins like this.';
    byId('keys').replaceChildren(table('Keys', columns, view.keys, none));
    /** @type {HTMLAnchorElement} */ (byId('csv')).href =
      `dashboard/keys.csv?${new URLSearchParams(parameters)}`;
    byId('pages').replaceChildren(
      ...(view.page > 0
        ? [
            element(
              'a',
              { href: addressWith({ page: view.page > 1 ? String(view.page - 1) : '' }) },
              '← Previous',
            ),
          ]
        : []),
      ...(view.hasMore
        ? [element('a', { href: addressWith({ page: String(view.page + 1) }) }, 'Next →')]
        : []),
    );
  },
  async attention() {
    const { view } = await read('attention');
    /** @param {string} title @param {string} member @param {(row: Row) => string} text */
    const list = (title, member, text) => {
      const rows = /** @type {Row[]} */ (view[member]);
      const more = rows.length > view.max ? [element('li', { class: 'empty' }, 'and more')] : [];
      return element(
        'div',
        {},
        element('h3', {}, title),
        rows.length === 0
          ? element('p', { class: 'empty' }, 'None.')
          : element(
              'ul',
              {},
              ...rows.slice(0, view.max).map((row) => element('li', {}, ofKey(row), ` ${text(row)}`)),
              ...more,
            ),
      );
    };
    byId('attention').replaceChildren(
      list(
        'Bans of the last 24 hours',
        'bans',
        (row) => `${row['in_force'] ? 'until' : 'ended'} ${time(row['lifted_at'] ?? row['ends_at'])}`,
      ),
      list('Expire within 14 days', 'expiring', (row) => `${row['expires']}: ${time(row['expires_at'])}`),
      list(
        'Call a deprecated operation',
        'deprecated',
        (row) => `${row['operation']}, last ${time(row['last_hour'])}`,
      ),
      list('Unused for 90 days', 'unused', (row) => `since ${time(row['last_used_at'])}`),
    );
  },
  async key() {
    const { view } = await read('key', { key: parameter('key') });
    byId('one').hidden = false;
    if (view === null) {
      byId('one').replaceChildren(
        element('p', { class: 'empty' }, `There is no key ${parameter('key')}. `),
        element('a', { href: 'dashboard' }, 'All keys'),
      );
      return;
    }
    byId('title').textContent = `${view.key.name} (key ${view.key.id})`;
    showKey(byId('one'), keyChart, view);
    showKeyHours(toOutcomes(view.hours, HOURS[range.value] ?? 24, Date.now()));
    byId('as-of').textContent = `as of ${time(new Date().toISOString())} UTC`;
  },
};

/** What is wrong, in sentences, by the view that found it. @type {Map<string, string[]>} */
const problems = new Map();

function showProblems() {
  const sentences = [...new Set([...problems.values()].flat())];
  const shown = sentences.map((sentence) => element('p', {}, sentence));
  const isSame = byId('problems').textContent === sentences.join('');
  if (!isSame) byId('problems').replaceChildren(...shown);
}

/** @param {string} name */
async function refresh(name) {
  try {
    problems.delete(name);
    await VIEWS[name]?.();
  } catch (error) {
    // The last figures stay, with their time.
    const reason = error instanceof Error ? error.message : String(error);
    problems.set(name, [`The figures cannot be read: ${reason}`]);
  }
  showProblems();
}

const isOneKey = parameter('key') !== '';
const names = isOneKey ? ['key'] : ['summary', 'hours', 'attention', 'keys'];

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
async function refreshAll() {
  clearTimeout(timer);
  if (!document.hidden) await Promise.all(names.map(refresh));
  timer = setTimeout(() => void refreshAll(), EVERY_MS);
}

range.value = parameter('range') in HOURS ? parameter('range') : '24h';
search.value = parameter('search');
if (['last_use', 'share'].includes(parameter('sort'))) sort.value = parameter('sort');
byId('all').hidden = isOneKey;

range.addEventListener('change', () => {
  history.replaceState(null, '', addressWith({ range: range.value === '24h' ? '' : range.value }));
  void refresh(isOneKey ? 'key' : 'hours');
});
const changeList = () => {
  history.replaceState(
    null,
    '',
    addressWith({ search: search.value.trim(), sort: sort.value === 'id' ? '' : sort.value, page: '' }),
  );
  void refresh('keys');
};
sort.addEventListener('change', changeList);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(changeList, 300);
});
byId('filter').addEventListener('submit', (event) => {
  event.preventDefault();
  changeList();
});
document.addEventListener('visibilitychange', () => void refreshAll());
void refreshAll();
