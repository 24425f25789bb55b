import { LosslessNumber, parse } from 'lossless-json';
import { CliError } from './cli-error.js';
import { shown } from '../common/shown.js';
import type { Row } from './row.js';

/** A change of the audit log, as `petstore audit --json` prints it. */
export interface AuditEntry {
  readonly id: bigint;
  readonly changed_at: string;
  readonly action: 'insert' | 'update' | 'delete';
  readonly table_name: string;
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

/** The tables whose changes are applied. */
const KEY_TABLES: ReadonlySet<string> = new Set(['api_keys', 'api_key_secrets']);

/** The columns of `api_keys` that are applied. */
const APPLIED: ReadonlySet<string> = new Set(['revoked_at', 'suspended_until', 'expires_at', 'access']);

/**
 * Reads an exported audit log: an object a line, or an array of objects. A line that is no entry, such as one that was not written to its
 * end, is left out, because other exports may contain it.
 *
 * @returns each entry once, in the order of the changes, and what is wrong with lines that were left out
 * @throws CliError if there are no entries, and something is wrong
 */
export function readAudit(text: string): {
  readonly entries: readonly AuditEntry[];
  readonly faults: readonly string[];
} {
  const [entries, faults] = [new Map<string, AuditEntry>(), [] as string[]];
  const add = (make: () => AuditEntry): void => {
    try {
      const entry = make();
      entries.set(`${entry.id} ${entry.changed_at}`, entry);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      faults.push(error.message);
    }
  };
  if (text.trimStart().startsWith('['))
    for (const one of parseJson(text, 'The file') as unknown[]) add(() => toEntry(one, 'The file'));
  else
    for (const [index, line] of text.split('\n').entries()) {
      const where = `Line ${index + 1}`;
      if (line.trim() !== '') add(() => toEntry(parseJson(line, where), where));
    }
  if (entries.size === 0 && faults[0] !== undefined) throw new CliError(faults[0], EXPORT);
  return { entries: [...entries.values()].sort((one, other) => (one.id < other.id ? -1 : 1)), faults };
}

/**
 * The numbers that no entry has, between the last entry of the restored log and the last one of the file: changes that the export lacks, or
 * that were rolled back.
 *
 * @param missing by `id`
 * @param last the last entry of the restored log before them
 */
export function gapsIn(
  missing: readonly AuditEntry[],
  last: Pick<AuditEntry, 'id' | 'changed_at'>,
): readonly string[] {
  let previous = last;
  const gaps: string[] = [];
  for (const entry of missing) {
    if (entry.id > previous.id + 1n)
      gaps.push(
        `${previous.id + 1n} to ${entry.id - 1n}, between ${previous.changed_at} and ${entry.changed_at}`,
      );
    previous = entry;
  }
  return gaps;
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
    typeof entry.table_name === 'string'
  )
    return entry;
  throw new CliError(`${where} is not an entry of the audit log.`, EXPORT);
}

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
    if (keyId === null || !KEY_TABLES.has(table)) {
      const about = table === 'plans' ? `plan ${shown(planId)}` : `${table} of key ${shown(keyId)}`;
      others.push(`${about}: ${action === 'update' ? describe(values) : action}`);
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
