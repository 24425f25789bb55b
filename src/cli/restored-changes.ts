import { LosslessNumber, parse } from 'lossless-json';
import { CliError } from './cli-error.js';
import { shown } from './output.js';
import type { Row } from './row.js';

/** A change of the audit log, as `petstore audit --json` prints it. */
export interface AuditEntry {
  readonly id: bigint;
  readonly changed_at: string;
  readonly action: 'insert' | 'update' | 'delete';
  readonly table_name: 'api_keys' | 'api_key_secrets' | 'plans';
  readonly api_key_id: bigint | null;
  readonly plan_id: string | null;
  readonly old: Row | null;
  readonly new: Row | null;
}

/** What a restored database lacks of the audit log of the one before. */
export interface RestoredChanges {
  /** The columns of keys that decide who may do what, as they were last. */
  readonly keys: readonly { readonly id: bigint; readonly values: Row }[];
  /** When secrets end, as it was last. */
  readonly secrets: readonly {
    readonly keyId: bigint;
    readonly prefix: string;
    readonly expiresAt: string;
  }[];
  /** Keys and secrets that exist no longer, and secrets that stay valid because their successors are lost. */
  readonly lost: readonly string[];
  readonly kept: readonly string[];
  /** Everything else: limits, plans, names. */
  readonly others: readonly string[];
}

/** The columns of `api_keys` that are applied. */
const APPLIED: ReadonlySet<string> = new Set(['revoked_at', 'suspended_until', 'expires_at', 'access']);

/**
 * Reads an exported audit log: an object a line, or an array of objects.
 *
 * @throws CliError that names the line
 */
export function readAudit(text: string): readonly AuditEntry[] {
  if (text.trimStart().startsWith('['))
    return (parseJson(text, 'The file') as unknown[]).map((one) => toEntry(one, 'The file'));
  return text
    .split('\n')
    .map((line, index) => [line.trim(), `Line ${index + 1}`] as const)
    .filter(([line]) => line !== '')
    .map(([line, where]) => toEntry(parseJson(line, where), where));
}

function parseJson(text: string, where: string): unknown {
  try {
    return parse(text, undefined, (digits) =>
      /^-?\d+$/.test(digits) ? BigInt(digits) : new LosslessNumber(digits),
    );
  } catch {
    throw new CliError(`${where} is not JSON.`, EXPORT);
  }
}

function toEntry(value: unknown, where: string): AuditEntry {
  const entry = (value ?? {}) as AuditEntry;
  if (
    typeof entry.id === 'bigint' &&
    !Number.isNaN(Date.parse(entry.changed_at)) &&
    entry.table_name in TABLES
  )
    return entry;
  throw new CliError(`${where} is not an entry of the audit log.`, EXPORT);
}

const TABLES = { api_keys: true, api_key_secrets: true, plans: true };
const EXPORT = 'Such a file is written by: petstore audit --json-lines';

/**
 * What has to be done about entries that a restored database lacks.
 *
 * @param missing by `id`
 * @param endsRotated whether an old secret ends as its rotation said, although the new one is lost
 */
export function changesOf(missing: readonly AuditEntry[], endsRotated: boolean): RestoredChanges {
  const keys = new Map<bigint, Row>();
  const secrets = new Map<string, RestoredChanges['secrets'][number]>();
  const [lost, others]: [string[], string[]] = [[], []];
  const [lostKeys, rotated, lostSecrets] = [new Set<bigint>(), new Set<bigint>(), new Set<string>()];
  for (const {
    action,
    table_name: table,
    api_key_id: keyId,
    plan_id: planId,
    changed_at: at,
    ...entry
  } of missing) {
    const values = entry.new ?? {};
    const name = `${keyId} ${shown(values['prefix'] ?? entry.old?.['prefix'])}`;
    if (table === 'plans' || keyId === null) {
      others.push(`plan ${shown(planId)}: ${action === 'update' ? describe(values) : action}`);
    } else if (lostKeys.has(keyId) || lostSecrets.has(name)) {
      continue;
    } else if (table === 'api_keys' && action === 'insert') {
      lostKeys.add(keyId);
      lost.push(`key ${keyId} (${shown(values['name'])})`);
    } else if (table === 'api_keys') {
      const applied = Object.entries(values).filter(([column]) => APPLIED.has(column));
      const rest = Object.entries(values).filter(([column]) => !APPLIED.has(column));
      if (applied.length > 0) keys.set(keyId, { ...keys.get(keyId), ...Object.fromEntries(applied) });
      if (rest.length > 0) others.push(`key ${keyId}: ${describe(Object.fromEntries(rest))}`);
    } else if (action === 'insert') {
      lostSecrets.add(name);
      rotated.add(keyId);
      lost.push(`secret ${shown(values['prefix'])}… of key ${keyId}`);
    } else {
      const expiresAt = action === 'delete' ? at : shown(values['expires_at'] ?? 'infinity');
      const prefix = shown(values['prefix'] ?? entry.old?.['prefix']);
      secrets.set(name, { keyId, prefix, expiresAt });
    }
  }
  const isKept = ({ keyId }: { readonly keyId: bigint }): boolean => rotated.has(keyId) && !endsRotated;
  return {
    keys: Array.from(keys, ([id, values]) => ({ id, values })),
    secrets: [...secrets.values()].filter((secret) => !isKept(secret)),
    kept: [...secrets.values()]
      .filter(isKept)
      .map(({ keyId, prefix }) => `secret ${prefix}… of key ${keyId}`),
    lost,
    others,
  };
}

/** `name: value, name: value` */
export const describe = (values: Row): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${shown(value)}`)
    .join(', ');
