// The page asks for its views every ten seconds, and shows them without moving anything. What is looked at is in the address.
import { byId, element } from './dom.js';
import { outcomeChart } from './chart.js';
import { column, count, named, number, percent, show, spark, table, time, usedOf } from './format.js';
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

/** The one that responded last. */
let replica = '';

/**
 * A view of the service.
 * @param {string} name
 * @param {Record<string, string>} [parameters]
 */
async function read(name, parameters = {}) {
  const response = await fetch(`dashboard/data/${name}?${new URLSearchParams(parameters)}`, {
    cache: 'no-store',
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  replica = body.replica;
  return body.view;
}

/** @param {string} id @param {string} name */
const keyLink = (id, name) =>
  element('a', { href: addressWith({ key: id }) }, named(name === '' ? id : name));

/** @param {Row} row */
const ofKey = (row) => keyLink(String(row['api_key_id']), row['name'] ?? `key ${row['api_key_id']}`);

/** @param {string} at */
const showTime = (at) =>
  (byId('as-of').textContent = `as of ${at.slice(0, 19).replace('T', ' ')} UTC, by ${replica}`);

/** @typedef {{ value: number | bigint, meaning: string }} Fact */

/** The numbers of today, by their names; each says what it counts. @type {Record<string, Fact>} */
const facts = {};

/** @param {Record<string, Fact>} changed */
function showFacts(changed) {
  Object.assign(facts, changed);
  show(
    byId('summary'),
    ...[
      'served today',
      'rejected today',
      'undecided today',
      'without a key today',
      'active keys',
      'banned now',
      'suspended now',
    ].flatMap((name) => {
      const { value, meaning } = facts[name] ?? { value: undefined, meaning: '' };
      const text = element('dd', {}, number(value), element('small', {}, meaning));
      return element('div', {}, element('dt', {}, name), text);
    }),
  );
}

const SERVED = ['success', 'client_error', 'server_error'];
const REJECTED = ['limited', 'banned', 'suspended', 'unauthorized'];

/** Sums of what the chart shows since midnight; its last hour is the present one. @param {any} view */
function factsOf({ now, hours, outcomes }) {
  const first = hours.findIndex((/** @type {string} */ hour) => hour.startsWith(now.slice(0, 10)));
  /** @param {string[]} wanted */
  const sum = (wanted) =>
    outcomes
      .filter((/** @type {any} */ { outcome }) => wanted.includes(outcome))
      .flatMap((/** @type {any} */ { requests }) => requests.slice(first))
      .reduce((/** @type {number} */ total, /** @type {number} */ one) => total + one, 0);
  return {
    'served today': { value: sum(SERVED), meaning: 'success, client and server errors' },
    'rejected today': { value: sum(REJECTED), meaning: 'limited, banned, suspended and unauthorized' },
    'undecided today': { value: sum(['undecided']), meaning: '503 for want of the database' },
    'without a key today': { value: sum(['no_key']), meaning: '401 and 429 of client addresses' },
  };
}

/** @type {Row[]} */
let plans = [];
/** The most that one key of a plan has used, by the plan. @type {Map<string, Row>} */
let peaks = new Map();

function showPlans() {
  const columns = [
    column('plan', (row) => row['id']),
    count('keys', 'keys'),
    count('day >\u00a080\u00a0%', 'near'),
    most('most in a minute', 'highest_minute', 'requests_per_minute'),
    most('most today', 'highest_day', 'requests_per_day'),
    ...(plans.some((plan) => plan['requests_per_month'] !== null)
      ? [count('per month', 'requests_per_month')]
      : []),
  ];
  const rows = plans.map((plan) => Object.assign({}, peaks.get(plan['id']), plan));
  show(byId('plans'), table('Plans', columns, rows, 'There are no plans.'));
}

/** The most that one key has used of a limit. @param {string} title @param {string} used @param {string} limit */
const most = (title, used, limit) => ({
  ...column(title, (row) => `${number(row[used])} / ${number(row[limit])}`),
  isNumber: true,
});

/** @type {Record<string, () => Record<string, string>>} */
const PARAMETERS = {
  hours: () => ({ range: range.value }),
  keys: () => ({ sort: sort.value, search: search.value.trim(), page: parameter('page') || '0' }),
  attention: () => ({ whole: parameter('whole') }),
  key: () => ({ key: parameter('key') }),
};

/** Each shows a view, and returns what is wrong. @type {Record<string, (view: any) => string[] | void>} */
const VIEWS = {
  summary(view) {
    showTime(view.now);
    showFacts({
      'active keys': { value: view.active, meaning: 'with a counted request' },
      'banned now': { value: view.banned, meaning: 'for exceeding their limits' },
      'suspended now': { value: view.suspended, meaning: 'by an operator' },
    });
    plans = view.plans;
    showPlans();
    return view.problems;
  },
  peaks(view) {
    peaks = new Map(view.map((/** @type {Row} */ row) => [row['plan_id'], row]));
    showPlans();
  },
  hours(view) {
    showHours(view);
    showFacts(factsOf(view));
    const columns = [
      column('operation', (row) => row['operation']),
      count('requests', 'requests'),
      count('mean ms', 'meanMs'),
    ];
    show(byId('operations'), table('Operations', columns, view.operations, 'No requests in this time.'));
  },
  keys(view) {
    const columns = [
      { ...count('id', 'id'), cell: (/** @type {Row} */ row) => String(row['id']) },
      column('name', (row) => {
        const link = keyLink(String(row['id']), row['name']);
        if (row['customer'] === null) return link;
        return element('div', {}, link, element('small', {}, named(row['customer'])));
      }),
      column('state', (row) => element('span', { class: `state ${row['state']}` }, row['state'])),
      column('today', (row) => usedOf(row['day_admitted'], row['requests_per_day'])),
      column('this minute', (row) => usedOf(row['minute_admitted'], row['requests_per_minute'])),
      count('rejected', 'day_refused'),
      column('plan', (row) => named(row['plan_id'])),
      column('24 hours', (row) => spark(row['hours'])),
      column('last used', (row) => time(row['last_used_at'])),
    ];
    const none =
      search.value === ''
        ? 'There are no keys here.'
        : 'No key has this id, this text in its name or customer, or a secret that begins so.';
    show(byId('keys'), table('Keys', columns, view.keys, none));
    /** @type {HTMLAnchorElement} */ (byId('csv')).href =
      `dashboard/keys.csv?${new URLSearchParams(PARAMETERS['keys']?.())}`;
    show(
      byId('pages'),
      ...(view.page > 0
        ? [
            element(
              'a',
              { href: `${addressWith({ page: view.page > 1 ? String(view.page - 1) : '' })}#keys-title` },
              '← Previous',
            ),
          ]
        : []),
      ...(view.hasMore
        ? [element('a', { href: `${addressWith({ page: String(view.page + 1) })}#keys-title` }, 'Next →')]
        : []),
    );
  },
  attention(view) {
    /** @param {string} title @param {string} member @param {(row: Row) => string} text */
    const list = (title, member, text) => {
      const rows = /** @type {Row[]} */ (view[member]);
      const max = view.max[member];
      // Of one that is shown whole there is no more to show.
      const href = `${addressWith({ whole: member })}#attention-title`;
      const link = parameter('whole') === member ? 'and more' : element('a', { href }, 'and more');
      const more = rows.length > max ? [element('li', { class: 'empty' }, link)] : [];
      return element(
        'div',
        {},
        element('h3', {}, title),
        rows.length === 0
          ? element('p', { class: 'empty' }, 'None.')
          : element(
              'ul',
              {},
              ...rows.slice(0, max).map((row) => element('li', {}, ofKey(row), ` ${text(row)}`)),
              ...more,
            ),
      );
    };
    show(
      byId('attention'),
      list(
        'Bans of the last 24 hours',
        'bans',
        (row) => `${row['in_force'] ? 'until' : 'ended'} ${time(row['lifted_at'] ?? row['ends_at'])}`,
      ),
      list('Above 80 % of a limit now', 'near', (row) =>
        Object.entries(row)
          .filter(([name, share]) => name.endsWith('_share') && share !== null)
          .map(([name, share]) => `${name.replace('_share', '')} ${percent(Number(share))}`)
          .join(', '),
      ),
      list('Expire within 14 days', 'expiring', (row) => `${row['expires']}: ${time(row['expires_at'])}`),
      list(
        'Call a deprecated operation',
        'deprecated',
        (row) => `${row['operation']}, last in the hour from ${time(row['last_hour'])}`,
      ),
      list('Unused for 90 days', 'unused', (row) =>
        row['last_used_at'] === null ? 'never used' : `since ${time(row['last_used_at'])}`,
      ),
    );
  },
  key(view) {
    byId('one').hidden = false;
    if (view === null) {
      byId('one').replaceChildren(
        element('p', { class: 'empty' }, `There is no key ${parameter('key')}. `),
        element('a', { href: addressWith({ key: '' }) }, 'All keys'),
      );
      return;
    }
    document.title = byId('title').textContent = `${view.key.name} (key ${view.key.id})`;
    showKey(byId('one'), keyChart, view, addressWith({ key: '' }));
    const hours = toOutcomes(view.hours, HOURS[range.value] ?? 24, Date.parse(view.now));
    const isShown = (/** @type {Row} */ { ended_at: at }) => at >= (hours.hours[0] ?? '');
    showKeyHours({ ...hours, outages: view.outages.filter(isShown) });
    showTime(view.now);
    return view.problems;
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

/** How often each view was requested: a response that was overtaken is not shown. @type {Map<string, number>} */
const turns = new Map();

/** @param {string} name */
async function refresh(name) {
  const turn = (turns.get(name) ?? 0) + 1;
  turns.set(name, turn);
  try {
    const view = await read(name, PARAMETERS[name]?.());
    if (turns.get(name) === turn) problems.set(name, VIEWS[name]?.(view) ?? []);
  } catch (error) {
    // The last figures stay, with their time.
    const reason = error instanceof Error ? error.message : String(error);
    if (turns.get(name) === turn) problems.set(name, [`The data cannot be loaded: ${reason}`]);
  }
  showProblems();
}

const isOneKey = parameter('key') !== '';
const names = isOneKey ? ['key'] : ['summary', 'hours', 'peaks', 'attention', 'keys'];

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
async function refreshAll() {
  clearTimeout(timer);
  if (!document.hidden) await Promise.all(names.map(refresh));
  timer = setTimeout(() => void refreshAll(), EVERY_MS);
}

range.value = Object.hasOwn(HOURS, parameter('range')) ? parameter('range') : '24h';
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
  clearTimeout(typing);
  changeList();
});
document.addEventListener('visibilitychange', () => void refreshAll());
void refreshAll();
