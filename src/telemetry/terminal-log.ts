import type { DestinationStream } from 'pino';
import { describeConfig, loadConfig } from '../config/config.js';

/** Of a request, in its line already, or of use to programs alone. */
const IN_LINE = [
  ...[
    'requestId',
    'method',
    'operation',
    'path',
    'status',
    'ms',
    'keyId',
    'keyPrefix',
    'plan',
    'code',
    'rejectedBy',
  ],
  ...['traceId', 'clientAddress', 'clientGone', 'settings', 'release', 'node'],
];

/** A short line for people instead of each line of JSON, in colours unless NO_COLOR is set. */
export async function openTerminalLog(): Promise<DestinationStream> {
  // Only here: it would make each start of a service later.
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: process.stderr.fd,
    sync: true,
    colorize: pretty.isColorSupported,
    translateTime: 'SYS:HH:MM:ss',
    ignore: IN_LINE.join(','),
    singleLine: true,
    messageFormat: (line) => describe(line),
  });
}

type Line = Readonly<Record<string, unknown>>;

function describe(line: Line): string {
  const msg = String(line['msg']);
  if (msg === 'request') return describeRequest(line);
  if (line['settings'] === undefined) return msg;
  return `${msg} ${String(line['release'])} on Node.js ${String(line['node'])}${describeSettings(line['settings'] as Line)}`;
}

interface RequestLine {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly code?: string;
  readonly ms?: number;
  readonly keyId?: string;
  readonly clientAddress?: string;
}

function describeRequest({ method, path, status, code, ms, keyId, clientAddress }: RequestLine): string {
  const what = method === undefined ? 'no request' : `${method} ${path}`;
  const result = `${status}${code === undefined ? '' : ` ${code}`}${ms === undefined ? '' : ` in ${ms} ms`}`;
  return `${what}: ${result}, ${keyId === undefined ? clientAddress : `key ${keyId}`}`;
}

/** Those that differ from the defaults, by their paths. */
function describeSettings(settings: Line): string {
  const defaults = new Map(leavesOf(JSON.parse(JSON.stringify(describeConfig(loadConfig({}))))));
  const changed = leavesOf(settings).filter(([path, value]) => defaults.get(path) !== value);
  return changed.length === 0
    ? ' with the default settings'
    : ` with ${changed.map((one) => one.join(' ')).join(', ')}`;
}

/** The values of nested objects as JSON, each with its path. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly [path: string, value: string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[path.join('.'), JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}
