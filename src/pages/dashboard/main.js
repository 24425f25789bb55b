// The page polls its views every ten seconds, and updates them without moving anything. Its state is in the URL.
import { addressWith, pageWith, parameter, RANGES, timeParameters } from './address.js';
import { showAttention } from './attention.js';
import { outcomeChart } from './chart.js';
import { byId, copyButton, element } from './dom.js';
import { showFigures } from './figures.js';
import { badge, column, count, day, meter, number, quiet, show, table, usedOf } from './format.js';
import { showKey, toOutcomes } from './key.js';
import { listParameters, showFilter, showKeys } from './keys.js';

/** @typedef {Record<string, any>} Row */

const EVERY_MS = 10_000;

/** @param {string} from @param {string} to */
const selectTime = (from, to) => go(addressWith({ range: '', from, to, page: '' }));

const showHours = outcomeChart(byId('hours'), selectTime);
const keyChart = element('div');
const keyNext = element('div');
const showKeyHours = outcomeChart(keyChart, selectTime);

/** The time of the last response, by the database's clock. */
let now = new Date().toISOString();

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
  byId('version').textContent = body.version;
  now = body.view?.now ?? now;
  byId('as-of').textContent = `${now.slice(11, 19)} UTC · replica ${body.replica}`;
  byId('as-of').title = `as of ${now.slice(0, 19).replace('T', ' ')} UTC`;
  return body.view;
}

const isKeys = () => parameter('show') === 'keys';
const isOneKey = () => parameter('key') !== '';

/** Shows the current page, the range, and the matching sections. */
function showPlace() {
  const places = /** @type {const} */ ([
    ['Dashboard', {}, !isKeys() && !isOneKey()],
    ['Keys', { show: 'keys' }, isKeys() || isOneKey()],
  ]);
  show(
    byId('places'),
    ...places.map(([title, wanted, isHere]) =>
      element('a', { href: pageWith(wanted), 'aria-current': isHere ? 'page' : undefined }, title),
    ),
  );
  const { range = '', from = '', to = '' } = timeParameters();
  const choices = Object.entries(RANGES).map(([name, title]) => {
    const href = addressWith({ range: name === '24h' ? '' : name, from: '', to: '', page: '' });
    return element('a', { href, 'aria-current': range === name ? 'true' : undefined }, title);
  });
  const selected = element(
    'a',
    { href: addressWith({ from: '', to: '', page: '' }), 'aria-current': 'true' },
    `${from.slice(11, 16)} – ${to.slice(11, 16)} ×`,
  );
  show(byId('range'), ...choices, ...(range === '' ? [selected] : []));
  byId('all').hidden = isKeys() || isOneKey();
  byId('list').hidden = isOneKey();
  byId('one').hidden = !isOneKey();
  if (!isOneKey()) {
    byId('title').textContent = isKeys() ? 'Keys' : 'Dashboard';
    document.title = `Pet Store Service: ${isKeys() ? 'keys' : 'dashboard'}`;
    byId('badge').replaceChildren();
  }
  show(
    byId('crumb'),
    ...(isOneKey()
      ? [element('a', { href: pageWith({ show: 'keys' }) }, 'Keys'), ` / key ${parameter('key')}`]
      : []),
  );
}

/** `28 Nov 07:00 – 29 Nov 06:53 UTC` @param {any} view */
function showTime({ from, to }) {
  const end = to < now ? to : now;
  byId('when').textContent = `${day(from)} ${from.slice(11, 16)} – ${day(end)} ${end.slice(11, 16)} UTC`;
}

/** @type {Row[]} */
let plans = [];
/** The peak usage of one key, by plan. @type {Map<string, Row>} */
let peaks = new Map();

/** The highest usage of the plan's limit by one key, excluding keys with their own limit. @param {string} title @param {string} window */
const most = (title, window) =>
  column(title, (row) => {
    const used = row[`highest_${window}`];
    const own = element('span', { class: 'quiet' }, 'own limits');
    const isOwn = row['custom'] || row[`own_${window}`] === true;
    if (isOwn && (used === null || used === undefined)) return own;
    const bar = usedOf(used, row[`requests_per_${window}`]);
    return isOwn ? element('span', {}, bar, ' + ', own) : bar;
  });

function showPlans() {
  const columns = [
    column('Plan', (row) => element('a', { href: pageWith({ show: 'keys', plan: row['id'] }) }, row['id'])),
    count('Keys', 'keys'),
    { ...most('Busiest minute (24 h)', 'minute'), kind: 'gap' },
    most('Busiest today (UTC)', 'day'),
    ...(plans.some((plan) => plan['requests_per_month'] !== null)
      ? [count('A month', 'requests_per_month')]
      : []),
  ];
  const rows = plans.map((plan) => Object.assign({}, peaks.get(plan['id']), plan));
  show(byId('plans'), table('Plans', columns, rows, 'There are no plans.'));
}

/** @param {Row[]} operations */
function showOperations(operations) {
  const max = Math.max(1, ...operations.map(({ requests }) => requests));
  const columns = [
    column('Operation', (row) => row['operation']),
    count('Requests', 'requests'),
    { ...column('Share', (row) => meter(row['requests'] / max)), kind: 'optional' },
    {
      ...column('5xx', (row) =>
        row['errors'] > 0 ? element('span', { class: 'alarm' }, number(row['errors'])) : quiet(0),
      ),
      isNumber: true,
    },
    { ...column('Mean ms', (row) => row['meanMs'].toFixed(1)), isNumber: true },
  ];
  show(byId('operations'), table('Operations', columns, operations, 'No requests in this time.'));
}

/** @param {string} title @param {string} text */
const step = (title, text) => {
  const code = element('code', {}, text);
  return element(
    'li',
    {},
    element('b', {}, title),
    element('pre', { class: 'copyable' }, code, copyButton(code)),
  );
};

/** The first steps, if no request is counted. */
function showFirst() {
  const { summary, hours } = last;
  if (summary === undefined || hours === undefined) return;
  const isNew =
    summary.active === 0 &&
    hours.outcomes.every((/** @type {any} */ { requests }) =>
      requests.every((/** @type {number} */ one) => one === 0),
    );
  byId('first-request').hidden = !isNew;
  if (!isNew || byId('first').childElementCount > 0) return;
  const { address, keys } = summary;
  const steps = [
    ...(keys > 0 ? [] : [step('Issue a key', "petstore keys issue --name 'My key' --plan free")]),
    step(
      'List the pets with a key',
      `curl -w '\\n' -H 'Authorization: Bearer psk_…' \\\n  '${address}/v1/pets?limit=3'`,
    ),
  ];
  const link = element('a', { href: `${address}/docs` }, 'Documentation of the API');
  byId('first').replaceChildren(
    element('ol', { class: 'steps' }, ...steps),
    element('p', { class: 'empty' }, 'Figures, chart and key appear here within ten seconds. ', link),
  );
}

/** The last received views. @type {{ attention?: any, hours?: any, summary?: any }} */
const last = {};

function showAttentionAndFigures() {
  showFigures(byId('figures'), last);
  if (last.attention === undefined || last.hours === undefined) return;
  const lines = showAttention(byId('attention'), last.attention, last.hours.operations, now);
  byId('attention-count').textContent = String(lines);
}

/** @type {Record<string, () => Record<string, string>>} */
const PARAMETERS = {
  hours: timeParameters,
  keys: () => ({ ...listParameters(), page: isKeys() ? parameter('page') || '0' : '0' }),
  attention: () => ({ whole: parameter('whole') }),
  key: () => ({ ...timeParameters(), key: parameter('key') }),
};

/** Each shows a view, and returns its problems. @type {Record<string, (view: any) => string[] | void>} */
const VIEWS = {
  summary(view) {
    plans = view.plans;
    showPlans();
    showFilter(plans, view.states);
    last.summary = view;
    showFigures(byId('figures'), last);
    showFirst();
    return view.problems;
  },
  peaks(view) {
    peaks = new Map(view.map((/** @type {Row} */ row) => [row['plan_id'], row]));
    showPlans();
  },
  hours(view) {
    showHours(view);
    showTime(view);
    byId('hours-title').textContent = view.hours.length > 240 ? 'Requests by day' : 'Requests by hour';
    last.hours = view;
    showAttentionAndFigures();
    showOperations(view.operations);
    showFirst();
    return view.problems;
  },
  keys(view) {
    showKeys(view, now, isKeys());
    if (isKeys()) showTime(view);
  },
  attention(view) {
    last.attention = view;
    showAttentionAndFigures();
  },
  key(view) {
    if (view === null) {
      byId('title').textContent = `There is no key ${parameter('key')}.`;
      byId('one').replaceChildren();
      return;
    }
    const { key } = view;
    document.title = `${key.name} (key ${key.id})`;
    show(byId('title'), element('bdi', {}, key.name));
    show(byId('badge'), badge(key.state));
    const { range = '' } = timeParameters();
    showKey(byId('one'), keyChart, keyNext, view, RANGES[range] ?? 'the selected time');
    const marks = view.changes.map((/** @type {Row} */ change) => ({
      ...{ at: change['changed_at'], subject: change['table_name'], action: change['action'], changes: 1 },
      ...{
        of: String(key.id),
        by: change['by'],
        members: change['action'] === 'update' ? change['members'] : [],
      },
    }));
    const isShown = (/** @type {string} */ at) => at >= view.from && at < view.to;
    const { hours, outcomes } = toOutcomes(view.hours, view.from, view.to);
    showKeyHours({
      ...{ hours, outcomes },
      marks: marks.filter((/** @type {Row} */ { at }) => isShown(at)),
      outages: view.outages.filter(
        (/** @type {Row} */ { ended_at: at, began_at: from }) => at >= view.from && from < view.to,
      ),
    });
    showTime(view);
    return view.problems;
  },
};

/** Problems, as sentences, by the view that found them. @type {Map<string, string[]>} */
const problems = new Map();

function showProblems() {
  const sentences = [...new Set([...problems.values()].flat())];
  const shown = sentences.map((sentence) => element('p', {}, sentence));
  const isSame = byId('problems').textContent === sentences.join('');
  if (!isSame) byId('problems').replaceChildren(...shown);
}

/** How often each view was requested: an outdated response is not shown. @type {Map<string, number>} */
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

/** The current views. */
function names() {
  if (isOneKey()) return ['key'];
  return isKeys() ? ['summary', 'keys'] : ['summary', 'hours', 'peaks', 'attention', 'keys'];
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
async function refreshAll() {
  clearTimeout(timer);
  if (!document.hidden) await Promise.all(names().map(refresh));
  timer = setTimeout(() => void refreshAll(), EVERY_MS);
}

/** Shows another time or list of the same page without a reload. @param {string} address */
function go(address) {
  history.pushState(null, '', address);
  problems.clear();
  showPlace();
  void refreshAll();
}

addEventListener('popstate', () => location.reload());
byId('range').addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(link.getAttribute('href') ?? 'dashboard');
});

/** The dashboard shows the start of the list: filtering opens the keys page. */
function changeList() {
  const fields = new FormData(/** @type {HTMLFormElement} */ (byId('filter')));
  const changes = Object.fromEntries(
    [...fields].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : '']),
  );
  if (Object.entries(changes).every(([name, value]) => value === parameter(name))) return;
  history.replaceState(null, '', addressWith({ ...changes, show: 'keys', page: '' }));
  showPlace();
  void refresh('keys');
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;
byId('filter').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(changeList, 300);
});
byId('filter').addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(typing);
  changeList();
});
document.addEventListener('visibilitychange', () => void refreshAll());
showPlace();
void refreshAll();
