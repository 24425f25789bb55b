import { createRequire } from 'node:module';
import { hostname as replicaName } from 'node:os';
import { pathToFileURL } from 'node:url';
import { stringify } from 'lossless-json';
import { printable, toCsv } from '../text.js';
import { classifyDatabaseError, isForbidden, isUnavailable } from '../../errors/database-errors.js';
import { messageOf } from '../../errors/describe-error.js';
import { HOUR_MS } from '../../usage/hour-counts.js';
import { parseInt64 } from '../../database/int64.js';
import { PAGE_HEADERS, type PageFile, readPageFile, readPageFiles } from '../../pages/page-files.js';
import { type Config, releaseVersion } from '../../config/config.js';
import { DashboardDatabase, type Query } from './dashboard-database.js';
import { Hours, RANGES, type Span, timeOf } from './hours.js';
import {
  ATTENTION_LISTS,
  KEY_SORTS,
  KEY_STATES,
  type KeyList,
  readAttention,
  readKey,
  readKeys,
  readNow,
  readPlanPeaks,
  readSummary,
} from './queries.js';

export interface DashboardRequest {
  /** The path with its query. */
  readonly target: string;
  readonly host?: string | undefined;
  /** `Sec-Fetch-Site`, which browsers send. */
  readonly site?: string | undefined;
}

export interface DashboardResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const VERSION = releaseVersion();

/** How long all open pages share a view. */
const FRESH_MS = 10_000;

const KEYS_PER_PAGE = 50;
/** The bars of a key. */
const PARTS = 24;
const CSV_MAX = 10_000;
const CSV_COLUMNS = (
  'id,name,plan_id,state,access,requests_per_minute,requests_per_day,minute_admitted,day_admitted,day_refused,' +
  'last_used_at,created_at,expires_at,prefix,customer,requests_per_month,month_admitted,requests,errors,rejected'
).split(',');
const SEARCH_LENGTH_MAX = 100;

const packageFile = (name: string, path: string): PageFile =>
  readPageFile(new URL(path, pathToFileURL(createRequire(import.meta.url).resolve(`${name}/package.json`))));

/** The page and its libraries. */
const FILES: ReadonlyMap<string, PageFile> = new Map(
  [
    ...readPageFiles('dashboard'),
    ...['uPlot.esm.js', 'uPlot.min.css'].map((name) => packageFile('uplot', `dist/${name}`)),
    packageFile('morphdom', 'dist/morphdom-esm.js'),
  ].map((file) => [file.name === 'index.html' ? '' : file.name, file]),
);

/** Wrong parameters of a view, in a sentence. */
class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

interface View {
  readonly text: Promise<string>;
  /** Undefined while it is being made. */
  madeAtMs: number | undefined;
}

/** A requested view. Equal parameters have the same name. */
interface Wanted {
  readonly name: string;
  readonly make: () => Promise<string>;
}

/** Whether a request comes from no page (a program) or a page of this port, as browsers report. */
export const isOwnSite = (site: string | string[] = 'none'): boolean =>
  site === 'none' || site === 'same-origin';

/** A read-only page for operators, on the management port only. */
export class Dashboard {
  #database: DashboardDatabase | undefined;
  #address = '';
  #problems: () => readonly string[] = () => [];
  readonly #hours = new Hours((work) => this.#read(work));
  readonly #views = new Map<string, View>();

  constructor(private readonly config: Config['dashboard']) {}

  /**
   * The database can be read from now on.
   *
   * @param address where the API is
   * @param problems further problems for operators, in sentences
   */
  serve(databaseUrl: string, address: string, problems: () => readonly string[]): void {
    this.#address = address;
    this.#problems = problems;
    this.#database = new DashboardDatabase(databaseUrl);
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  /** Undefined for a path that is not the dashboard's. */
  async respond({ target, host, site = 'none' }: DashboardRequest): Promise<DashboardResponse | undefined> {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const [, first, name = '', view, ...more] = pathname.split('/');
    if (!this.config.isOn || (first !== 'dashboard' && pathname !== '/')) return undefined;
    // A name of another site could lead here (DNS rebinding), and its page would read this one.
    if (!this.isAllowed(host))
      return reply(403, 'This host name is not allowed: add it to DASHBOARD_HOSTS.\n');
    // Its links are relative.
    if (pathname === '/') return reply(307, '', 'text/plain', { location: 'dashboard' });
    if (pathname === '/dashboard/') return reply(308, '', 'text/plain', { location: '../dashboard' });
    const file = FILES.get(name);
    if (file !== undefined && view === undefined) return reply(200, file.text, file.mediaType);
    // Other sites may link to the page, but must not be able to trigger database reads.
    if (!isOwnSite(site)) return reply(403, 'Other sites may not read the dashboard.\n');
    try {
      const wanted = more.length === 0 ? this.#wanted(`${name}/${view ?? ''}`, searchParams) : undefined;
      if (wanted === undefined) return reply(404, 'Not found.\n');
      const made = await this.#made(wanted);
      if (name === 'data') return reply(200, made, 'application/json');
      return reply(200, made, 'text/csv; charset=utf-8', {
        'content-disposition': 'attachment; filename="keys.csv"',
      });
    } catch (error) {
      const status = error instanceof ParameterError ? 400 : 503;
      return reply(status, JSON.stringify({ message: sentenceOf(error) }), 'application/json');
    }
  }

  /** Whether a browser may use this name: an address, or one of DASHBOARD_HOSTS. */
  isAllowed(host = ''): boolean {
    if (!/^[^/?#@]+$/.test(host) || !URL.canParse(`http://${host}`)) return false;
    const { hostname } = new URL(`http://${host}`);
    return /^(?:localhost|[\d.]+|\[.*\])$/.test(hostname) || this.config.hosts.includes(hostname);
  }

  #wanted(path: string, parameters: URLSearchParams): Wanted | undefined {
    switch (path) {
      case 'data/summary':
        return viewOf(path, async () => ({
          ...(await this.#read((query) => readSummary(query, this.#problems()))),
          address: this.#address,
        }));
      case 'data/peaks':
        return viewOf(path, () => this.#read(readPlanPeaks));
      case 'data/attention': {
        const whole = ATTENTION_LISTS.find((list) => list === parameters.get('whole'));
        return viewOf(`${path} ${whole}`, () => this.#read((query) => readAttention(query, whole)));
      }
      case 'data/hours': {
        const span = spanOf(parameters);
        return viewOf(`${path} ${JSON.stringify(span)}`, () => this.#hours.read(span));
      }
      case 'data/keys': {
        const list = { ...listOf(parameters), page: pageOf(parameters) };
        return viewOf(`${path} ${JSON.stringify(list)}`, () => this.#readPage(list));
      }
      case 'data/key': {
        const id = keyIdOf(parameters);
        const span = spanOf(parameters);
        return viewOf(`${path} ${id} ${JSON.stringify(span)}`, () =>
          this.#read(async (query) => readKey(query, id, timeOf(span, await readNow(query)))),
        );
      }
      case 'keys.csv/': {
        const list = listOf(parameters);
        const make = async () =>
          toCsv(CSV_COLUMNS, (await this.#readKeys(list, { offset: 0, limit: CSV_MAX, parts: 1 })).keys);
        return { name: `${path} ${JSON.stringify(list)}`, make };
      }
      default:
        return undefined;
    }
  }

  /** Builds a view at most once per ten seconds, never concurrently. */
  #made({ name, make }: Wanted): Promise<string> {
    const nowMs = performance.now();
    for (const [other, { madeAtMs = nowMs }] of this.#views)
      if (nowMs - madeAtMs >= FRESH_MS) this.#views.delete(other);
    const known = this.#views.get(name);
    if (known !== undefined) return known.text;
    const view: View = { text: make(), madeAtMs: undefined };
    this.#views.set(name, view);
    view.text.then(
      () => (view.madeAtMs = performance.now()),
      () => this.#views.delete(name),
    );
    return view.text;
  }

  #read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    if (this.#database === undefined) return Promise.reject(new Error('the service is starting'));
    return this.#database.read(work);
  }

  #readKeys({ span, ...list }: Listed, page: Pick<KeyList, 'offset' | 'limit' | 'parts'>) {
    return this.#read(async (query) => {
      const now = await readNow(query);
      const time = timeOf(span, now);
      return { now, ...time, keys: await readKeys(query, { ...list, ...page, time }) };
    });
  }

  async #readPage({ page, ...list }: Listed & { readonly page: number }): Promise<object> {
    const wanted = { offset: page * KEYS_PER_PAGE, limit: KEYS_PER_PAGE + 1, parts: PARTS };
    const { keys, ...at } = await this.#readKeys(list, wanted);
    return { ...at, keys: keys.slice(0, KEYS_PER_PAGE), page, hasMore: keys.length > KEYS_PER_PAGE };
  }
}

/** For people: the driver's message is in the log. */
function sentenceOf(error: unknown): string {
  if (classifyDatabaseError(error) === 'server-timeout') return 'the database took too long.';
  if (isUnavailable(error)) return 'the database cannot be reached.';
  // As after an upgrade, before the grants.
  return isForbidden(error) ? `${messageOf(error)}: run "petstore db roles".` : messageOf(error);
}

const viewOf = (name: string, work: () => Promise<object | undefined>): Wanted => ({
  name,
  make: async () => toJson(await work()),
});

/** With identifiers as text, because a browser would round large ones, and without text that changes the direction around it. */
const toJson = (view: object | undefined): string =>
  stringify({ replica: replicaName(), version: VERSION, view: view ?? null }, (name, value) => {
    if (typeof value === 'string') return printable(value);
    return typeof value === 'bigint' && /(?:^|_)id$/.test(name) ? String(value) : value;
  }) ?? '';

const reply = (
  status: number,
  body: string,
  mediaType = 'text/plain; charset=utf-8',
  more: Readonly<Record<string, string>> = {},
): DashboardResponse => ({
  status,
  headers: { ...PAGE_HEADERS, 'cache-control': 'no-store', 'content-type': mediaType, ...more },
  body,
});

/** `range`, or whole hours `from` and `to`. */
function spanOf(parameters: URLSearchParams): Span {
  const [from, to] = ['from', 'to'].map((name) => new Date(parameters.get(name) ?? ''));
  if (from !== undefined && to !== undefined && parameters.has('from')) {
    const hours = (to.getTime() - from.getTime()) / HOUR_MS;
    const isWhole = from.getTime() % HOUR_MS === 0 && Number.isInteger(hours);
    if (isWhole && hours > 0 && hours <= RANGES['35d']) return { from, to };
    throw new ParameterError('from and to must be whole hours, in order, and at most 35 days apart');
  }
  const text = parameters.get('range') ?? '24h';
  if (Object.hasOwn(RANGES, text)) return text as Span;
  throw new ParameterError(`range must be one of ${Object.keys(RANGES).join(', ')}`);
}

function keyIdOf(parameters: URLSearchParams): bigint {
  const id = parseInt64(parameters.get('key') ?? '');
  if (id === undefined) throw new ParameterError('key must be the id of a key');
  return id;
}

function pageOf(parameters: URLSearchParams): number {
  const text = parameters.get('page') ?? '0';
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new ParameterError('page must be an integer from 0 to 99999');
}

type Listed = Omit<KeyList, 'offset' | 'limit' | 'parts' | 'time'> & { readonly span: Span };

function listOf(parameters: URLSearchParams): Listed {
  const sort = KEY_SORTS.find((one) => one === (parameters.get('sort') ?? 'id'));
  if (sort === undefined) throw new ParameterError(`sort must be one of ${KEY_SORTS.join(', ')}`);
  const [search = '', plan = '', customer = '', wanted = ''] = ['search', 'plan', 'customer', 'state'].map(
    (name) => textOf(parameters, name),
  );
  const state = wanted === '' ? wanted : KEY_STATES.find((one) => one === wanted);
  if (state === undefined) throw new ParameterError(`state must be one of ${KEY_STATES.join(', ')}`);
  return { sort, search, plan, state, customer, span: spanOf(parameters) };
}

function textOf(parameters: URLSearchParams, name: string): string {
  const text = parameters.get(name) ?? '';
  if (text.length > SEARCH_LENGTH_MAX || text.includes('\0'))
    throw new ParameterError(`${name} must have at most ${SEARCH_LENGTH_MAX} characters, and no NUL`);
  return text;
}
