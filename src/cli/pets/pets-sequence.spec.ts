import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { moveSequencePast } from './pets-sequence.js';

/** For what is meant to run out of time. */
const AT_ONCE_MS = 20;

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const next = async (): Promise<unknown> =>
  (await client.query<{ id: string }>(`select nextval('pets_id_seq') as id`)).rows[0]?.id;

describe('the sequence of the animals', () => {
  it('is left alone when a transaction that has drawn from it stays open, and it is said which', async () => {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number }>(`select pg_backend_pid() as pid`);
    const drawn = Number(await next());
    const pid = String(rows[0]?.pid);
    await expect(moveSequencePast(1_000n, database.url, AT_ONCE_MS)).rejects.toMatchObject({
      name: 'CliError',
      message: expect.stringContaining(`for 0.02 s a transaction of session ${pid} stayed open`),
      hint: expect.stringContaining(`pg_terminate_backend(${pid}), and import again`),
    });
    await client.query('commit');
    expect(await next()).toBe(String(drawn + 1));
  });

  it('goes on after an identifier, and never goes back', async () => {
    await moveSequencePast(2_000n, database.url);
    await moveSequencePast(1_500n, database.url);
    expect(await next()).toBe('2001');
  });
});
