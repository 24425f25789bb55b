import { shown } from '../monitoring/text.js';
import { some } from './output.js';
import type { Row } from '../database/statement.js';

/** A change of the audit log. */
export interface AuditEntry extends Row {
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
  readonly secrets: readonly SecretEnd[];
  /** Keys and secrets that exist no longer, and secrets that stay valid because their successors are lost. */
  readonly lost: readonly string[];
  readonly kept: readonly string[];
  /** Everything else: limits, plans, names. */
  readonly others: readonly string[];
  /** The numbers between entries that no entry has: changes that the export lacks, or that were rolled back. */
  readonly gaps: readonly string[];
}

interface SecretEnd {
  readonly keyId: bigint;
  readonly prefix: string;
  readonly expiresAt: string;
}

/** The tables whose changes are applied. */
const KEY_TABLES: ReadonlySet<string> = new Set(['api_keys', 'api_key_secrets']);

/** The columns of `api_keys` that are applied. */
const APPLIED: ReadonlySet<string> = new Set(['revoked_at', 'suspended_until', 'expires_at', 'access']);

/** Gathers what has to be done about the entries that a restored database lacks. Equal changes of many keys are one. */
export class LackingChanges {
  readonly #keys = new Map<bigint, Row>();
  readonly #secrets = new Map<string, SecretEnd>();
  readonly #lost: string[] = [];
  readonly #lostKeys = new Set<bigint>();
  readonly #lostSecrets = new Set<string>();
  readonly #rotated = new Set<bigint>();
  /** Those that make each other change. */
  readonly #others = new Map<string, string[]>();
  readonly #gaps: string[] = [];

  /** @param previous the last entry of the restored log before the first one that it lacks */
  constructor(private previous: Pick<AuditEntry, 'id' | 'changed_at'>) {}

  /** To be called in the order of the entries. */
  add(entry: AuditEntry): void {
    const { id, changed_at: at, action, table_name: table, api_key_id: keyId, plan_id: planId } = entry;
    if (id > this.previous.id + 1n)
      this.#gaps.push(
        `${this.previous.id + 1n} to ${id - 1n}, between ${this.previous.changed_at} and ${at}`,
      );
    this.previous = entry;
    const values = entry.new ?? {};
    const prefix = shown(values['prefix'] ?? entry.old?.['prefix']);
    const name = `${keyId} ${prefix}`;
    if (keyId === null || !KEY_TABLES.has(table)) {
      const about = table === 'plans' ? `plan ${shown(planId)}` : `${table} of key ${shown(keyId)}`;
      this.#addOther(`${about}: ${action === 'update' ? describe(values) : action}`);
    } else if (this.#lostKeys.has(keyId) || this.#lostSecrets.has(name)) {
      return;
    } else if (table === 'api_keys' && action === 'insert') {
      this.#lostKeys.add(keyId);
      this.#lost.push(`key ${keyId} (${shown(values['name'])})`);
    } else if (table === 'api_keys') {
      this.#addKey(keyId, values);
    } else if (action === 'insert') {
      this.#lostSecrets.add(name);
      this.#rotated.add(keyId);
      this.#lost.push(`secret ${prefix}… of key ${keyId}`);
    } else {
      const expiresAt = action === 'delete' ? at : shown(values['expires_at'] ?? 'infinity');
      this.#secrets.set(name, { keyId, prefix, expiresAt });
    }
  }

  #addKey(id: bigint, values: Row): void {
    const applied = Object.entries(values).filter(([column]) => APPLIED.has(column));
    const rest = Object.entries(values).filter(([column]) => !APPLIED.has(column));
    if (applied.length > 0) this.#keys.set(id, { ...this.#keys.get(id), ...Object.fromEntries(applied) });
    if (rest.length > 0) this.#addOther(describe(Object.fromEntries(rest)), id);
  }

  #addOther(change: string, key?: bigint): void {
    const keys = this.#others.get(change) ?? [];
    if (key !== undefined) keys.push(String(key));
    this.#others.set(change, keys);
  }

  /** @param endsRotated whether an old secret ends as its rotation said, although the new one is lost */
  result(endsRotated: boolean): RestoredChanges {
    const secrets = [...this.#secrets.values()];
    const isKept = ({ keyId }: SecretEnd): boolean => this.#rotated.has(keyId) && !endsRotated;
    return {
      keys: Array.from(this.#keys, ([id, values]) => ({ id, values })),
      secrets: secrets.filter((secret) => !isKept(secret)),
      kept: secrets.filter(isKept).map(({ keyId, prefix }) => `secret ${prefix}… of key ${keyId}`),
      lost: this.#lost,
      others: Array.from(this.#others, ([change, keys]) =>
        keys.length === 0 ? change : `${some('key', keys)}: ${change}`,
      ),
      gaps: this.#gaps,
    };
  }
}

/** `name: value, name: value` */
export const describe = (values: Row): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${shown(value)}`)
    .join(', ');
