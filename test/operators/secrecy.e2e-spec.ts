import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { asSuperuser } from '../support/operator-roles.js';
import { startService, type TestService } from '../support/service.js';
import { selectOne } from '../support/sql-outcome.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Every column of every table of a database, the system's own included, as text. */
async function dump(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: asSuperuser(databaseUrl) });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm') and not c.relisshared`,
    );
    const texts: string[] = [];
    for (const { schema, name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `select t::text as text from ${escapeIdentifier(schema)}.${escapeIdentifier(name)} as t`,
      );
      texts.push(...rows.map((row) => row.text));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

it('a dump of the whole database contains no plain key, in no encoding', async () => {
  const { pool } = service;
  const one = <Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row> =>
    selectOne<Row>(pool, sql, values);
  const issued = await one<{ id: bigint; key: string }>(`select id, key from issue_api_key('Acme', 'pro')`);
  const rotated = await one<{ key: string }>('select key from rotate_api_key($1)', [issued.id]);
  const leaked = await one<{ key: string }>(`select key from rotate_api_key($1, '0')`, [issued.id]);
  const { key: byService } = await service.issueKey({ name: 'by the service' });
  const keys = [issued.key, rotated.key, leaked.key, byService];
  // Used, rejected, and sent with an Idempotency-Key.
  for (const key of keys) {
    await service.fetch('/v1/pets', { key });
    await service.fetch('/v1/pets', {
      method: 'POST',
      key,
      body: '{"name":"Rex","categoryId":1}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    });
  }

  const everything = await dump(service.databaseUrl);
  for (const key of keys) {
    // Prefix and hash are there, so the search looks in the right place.
    expect(everything).toContain(key.slice(0, 12));
    expect(everything).toContain(createHash('sha256').update(key).digest('hex'));
    const random = key.slice(12, 36);
    for (const secret of [random, Buffer.from(random).toString('hex'), random.slice(0, 12)]) {
      expect(everything).not.toContain(secret);
    }
    for (const offset of [0, 1, 2]) {
      const inBase64 = Buffer.from(key)
        .subarray(12 + offset, 36 + offset)
        .toString('base64');
      expect(everything).not.toContain(inBase64.slice(0, 24));
    }
  }
});
