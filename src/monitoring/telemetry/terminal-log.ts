import type { DestinationStream } from 'pino';
import { describeConfig, loadConfig } from '../../config/config.js';

/** Members that `describe` has written, or that only programs need. */
const HIDDEN = (
  'requestId,method,operation,path,status,ms,keyId,keyPrefix,plan,code,rejectedBy,traceId,clientAddress,clientGone,' +
  'settings,release,node'
).split(',');

/**
 * Turns each line of JSON into a short one for people, in colours unless NO_COLOR is set.
 *
 * @param destination gets the lines
 */
export async function forPeople(destination: DestinationStream): Promise<DestinationStream> {
  // Loaded only here, because it takes time at the start.
  const { default: pretty } = await import('pino-pretty');
  const toText = pretty.prettyFactory({
    colorize: pretty.isColorSupported,
    translateTime: 'SYS:HH:MM:ss',
    ignore: HIDDEN.join(','),
    singleLine: true,
    messageFormat: (line) => describe(line),
  });
  return { write: (line) => destination.write(toText(line)) };
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
  const what = method === undefined ? 'not HTTP' : `${method} ${path}`;
  const result = `${status}${code === undefined ? '' : ` ${code}`}${ms === undefined ? '' : ` in ${ms} ms`}`;
  return `${what}: ${result}, ${keyId === undefined ? clientAddress : `key ${keyId}`}`;
}

/** The settings that differ from defaults, by path. */
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
