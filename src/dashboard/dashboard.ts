import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { pathToFileURL } from 'node:url';
import { stringify } from 'lossless-json';
import { messageOf } from '../common/errors/describe-fault.js';
import { parseInt64 } from '../common/int64.js';
import { PAGE_HEADERS, type PageFile, readPageFile, readPageFiles } from '../common/page-files.js';
import type { Config } from '../config/config.js';
import { DashboardDatabase, type Query } from './dashboard-database.js';
import { Hours, type Range, RANGES } from './hours.js';
import { toCsv } from './csv.js';
import { KEY_SORTS, type KeyList, readAttention, readKey, readKeys, readSummary } from './views.js';

export interface DashboardResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every page that is open shares a view for so long. */
const FRESH_MS = 10_000;

/** Different views that are remembered: one is made for each search and each key. */
const VIEWS_MAX = 200;

const KEYS_A_PAGE = 50;
const PAGE_MAX = 100_000;
const CSV_MAX = 10_000;
const SEARCH_LENGTH_MAX = 100;

const UPLOT = pathToFileURL(createRequire(import.meta.url).resolve('uplot/package.json'));

/** The page, what it shares with the docs page, and uPlot. */
const FILES: ReadonlyMap<string, PageFile> = new Map(
  [
    ...readPageFiles(new URL('./page/', import.meta.url)),
    ...['base.css', 'layout.css', 'dom.js', 'icon.svg'].map((name) =>
      readPageFile(new URL(`../openapi/page/${name}`, import.meta.url)),
    ),
    ...['uPlot.esm.js', 'uPlot.min.css'].map((name) => readPageFile(new URL(`dist/${name}`, UPLOT))),
  ].map((file) => [file.name, file]),
);

/** Wrong parameters of a view, in a sentence. */
class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

/** A page for operators, on the management port alone. It reads, and changes nothing. */
export class Dashboard {
  #database: DashboardDatabase | undefined;
  #hours: Hours | undefined;
  readonly #views = new Map<string, { readonly madeAtMs: number; readonly json: Promise<string> }>();

  #problems: () => readonly string[] = () => [];

  constructor(private readonly config: Config['dashboard']) {}

  /**
   * The database can be read from now on.
   *
   * @param problems what an operator should know besides, in sentences
   */
  serve(databaseUrl: string, problems: () => readonly string[]): void {
    this.#problems = problems;
    this.#database = new DashboardDatabase(databaseUrl);
    this.#hours = new Hours(this.#database);
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  /** Undefined for a path that is not the dashboard's. */
  async respond(host: string | undefined, target: string): Promise<DashboardResponse | undefined> {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const [, first, name = 'index.html', view] = pathname.split('/');
    if (!this.config.isOn || first !== 'dashboard') return undefined;
    // A name of another site could lead here (DNS rebinding), and its page would read this one.
    if (!this.#isAllowed(host))
      return plainText(403, 'This host name is not allowed: add it to DASHBOARD_HOSTS.\n');
    const file = FILES.get(name);
    if (file !== undefined && view === undefined) {
      return { status: 200, headers: { ...HEADERS, 'content-type': file.mediaType }, body: file.text };
    }
    try {
      if (name === 'keys.csv' && view === undefined) return csv(await this.#keysCsv(searchParams));
      const work = name === 'data' ? this.#workOf(view, searchParams) : undefined;
      return work === undefined ? plainText(404, 'Not found.\n') : json(200, await this.#made(target, work));
    } catch (error) {
      const isWrong = error instanceof ParameterError;
      return json(isWrong ? 400 : 503, stringify({ message: messageOf(error) }) ?? '');
    }
  }

  #isAllowed(host = ''): boolean {
    const name = /^\[(.*)\](?::\d+)?$|^([^:]*)(?::\d+)?$/.exec(host.toLowerCase());
    const plain = name?.[1] ?? name?.[2] ?? '';
    return plain === 'localhost' || isIP(plain) !== 0 || this.config.hosts.includes(plain);
  }

  #workOf(
    view: string | undefined,
    parameters: URLSearchParams,
  ): (() => Promise<object | undefined>) | undefined {
    switch (view) {
      case 'summary':
        return async () => ({ ...(await this.#read(readSummary)), problems: this.#problems() });
      case 'hours':
        return () => this.#readHours(rangeOf(parameters));
      case 'attention':
        return () => this.#read(readAttention);
      case 'keys':
        return () => this.#readKeys(parameters);
      case 'key': {
        const id = keyIdOf(parameters);
        return () => this.#read((query) => readKey(query, id));
      }
      case undefined:
      default:
        return undefined;
    }
  }

  /** The JSON of a view, made at most once in ten seconds. */
  #made(target: string, work: () => Promise<object | undefined>): Promise<string> {
    const nowMs = performance.now();
    const known = this.#views.get(target);
    if (known !== undefined && nowMs - known.madeAtMs < FRESH_MS) return known.json;
    const json = work().then((made) => stringify({ at: new Date(), view: made ?? null }) ?? '');
    this.#views.delete(target);
    this.#views.set(target, { madeAtMs: nowMs, json });
    json.catch(() => this.#views.delete(target));
    const [oldest] = this.#views.keys();
    if (this.#views.size > VIEWS_MAX && oldest !== undefined) this.#views.delete(oldest);
    return json;
  }

  #read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    if (this.#database === undefined) return Promise.reject(new Error('the service is starting'));
    return this.#database.read(work);
  }

  #readHours(range: Range): Promise<object> {
    if (this.#hours === undefined) return Promise.reject(new Error('the service is starting'));
    return this.#hours.read(range);
  }

  async #readKeys(parameters: URLSearchParams): Promise<object> {
    const page = pageOf(parameters);
    const list = { ...listOf(parameters), offset: page * KEYS_A_PAGE, limit: KEYS_A_PAGE + 1 };
    const keys = await this.#read((query) => readKeys(query, list));
    return { keys: keys.slice(0, KEYS_A_PAGE), page, hasMore: keys.length > KEYS_A_PAGE };
  }

  async #keysCsv(parameters: URLSearchParams): Promise<string> {
    const list = { ...listOf(parameters), offset: 0, limit: CSV_MAX };
    return toCsv(await this.#read((query) => readKeys(query, list)));
  }
}

const HEADERS = { ...PAGE_HEADERS, 'cache-control': 'no-store' };

const plainText = (status: number, body: string): DashboardResponse => ({
  status,
  headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  body,
});

const json = (status: number, body: string): DashboardResponse => ({
  status,
  headers: { ...HEADERS, 'content-type': 'application/json' },
  body,
});

const csv = (body: string): DashboardResponse => ({
  status: 200,
  headers: {
    ...HEADERS,
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="keys.csv"',
  },
  body,
});

function rangeOf(parameters: URLSearchParams): Range {
  const text = parameters.get('range') ?? '24h';
  if (text in RANGES) return text as Range;
  throw new ParameterError(`range must be one of ${Object.keys(RANGES).join(', ')}`);
}

function keyIdOf(parameters: URLSearchParams): bigint {
  const id = parseInt64(parameters.get('key') ?? '');
  if (id === undefined) throw new ParameterError('key must be the id of a key');
  return id;
}

function pageOf(parameters: URLSearchParams): number {
  const text = parameters.get('page') ?? '0';
  if (/^\d{1,6}$/.test(text) && Number(text) <= PAGE_MAX) return Number(text);
  throw new ParameterError(`page must be an integer from 0 to ${PAGE_MAX}`);
}

function listOf(parameters: URLSearchParams): Pick<KeyList, 'sort' | 'search'> {
  const sort = KEY_SORTS.find((one) => one === (parameters.get('sort') ?? 'id'));
  const search = parameters.get('search') ?? '';
  if (sort === undefined) throw new ParameterError(`sort must be one of ${KEY_SORTS.join(', ')}`);
  if (search.length > SEARCH_LENGTH_MAX)
    throw new ParameterError(`search must have at most ${SEARCH_LENGTH_MAX} characters`);
  return { sort, search };
}
