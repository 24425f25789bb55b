import { json, type Petstore } from './petstore.js';

/** What `petstore keys … --json` tells of a key; `key` is there once, at its issue. */
export interface KeyTold {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly plan_id: string;
  readonly prefix: string;
  readonly state: string;
  readonly requests_per_minute: number;
  readonly requests_per_day: number;
  readonly revoked_at: string | null;
  readonly suspended_until: string | null;
  readonly banned_until: string | null;
  readonly secrets: number;
}

export const issueByCli = (petstore: Petstore, name = 'Acme', plan = 'pro'): Promise<KeyTold> =>
  json<KeyTold>(petstore(['keys', 'issue', '--name', name, '--plan', plan, '--json']));
