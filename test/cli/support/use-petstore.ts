import type { Pool } from 'pg';
import { type DatabaseInUse, useDatabase } from '../../support/use-service.js';
import { json, type Petstore, petstoreOn } from './petstore.js';

/** A key in the output of `petstore keys … --json`; `key` is there once, at its issue. */
export interface PrintedKey {
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

/** The command line, on a database of the tests of a file. */
export interface PetstoreInUse {
  readonly database: DatabaseInUse;
  readonly petstore: Petstore;
  readonly query: Pool['query'];
  readonly issue: (name?: string, plan?: string) => Promise<PrintedKey>;
}

export function usePetstore(): PetstoreInUse {
  const database = useDatabase(2);
  const petstore: Petstore = (args, options) => petstoreOn(database.url)(args, options);
  return {
    database,
    petstore,
    query: ((text: string, values: unknown[]) => database.pool.query(text, values)) as Pool['query'],
    issue: (name = 'Acme', plan = 'pro') =>
      json<PrintedKey>(petstore(['keys', 'issue', '--name', name, '--plan', plan, '--json'])),
  };
}
