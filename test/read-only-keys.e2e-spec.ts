import { describe, expect, it } from '@jest/globals';
import { useService } from './support/use-service.js';

const service = useService({ environment: { BAN_AFTER_REFUSALS: '2' } });

/** A key that may only read. */
async function issueReader(limits: { readonly perMinute?: number } = {}) {
  const issued = await service.issueKey(limits);
  await setAccess(issued.id, 'read');
  return issued;
}

const setAccess = (id: bigint, access: string): Promise<unknown> =>
  service.pool.query('select set_api_key_access($1, $2)', [id, access]);

async function outcomeOf(method: string, path: string, key: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = ['POST', 'PATCH', 'PUT'].includes(method) ? '{"name":"Rex","categoryId":1}' : null;
  const response = await service.fetch(path, { method, key, headers, body });
  const { code } = response.ok || method === 'HEAD' ? {} : ((await response.json()) as { code?: string });
  return [response.status, code, response.headers.get('x-ratelimit-remaining')].join(' ').replace('  ', ' ');
}

describe('a key that may only read', () => {
  it('is limited like any other, and its 403s do not count towards a ban', async () => {
    const { id, key } = await issueReader({ perMinute: 100_000 });
    for (let time = 0; time < 5; time += 1) {
      expect(await outcomeOf('POST', '/v1/pets', key)).toMatch(/^403 read_only_api_key/);
    }
    await service.pool.query('select set_api_key_limits($1, 1, 1)', [id]);
    expect(await outcomeOf('POST', '/v1/pets', key)).toMatch(/^429 rate_limit_exceeded/);
  });

  it('writes from the next request on when its access is changed, and is shown with it', async () => {
    const { id, key } = await issueReader();
    expect(await outcomeOf('POST', '/v1/pets', key)).toMatch(/^403/);
    await setAccess(id, 'write');
    expect(await outcomeOf('POST', '/v1/pets', key)).toMatch(/^201/);
    const { rows } = await service.pool.query(
      `select o.access, a.old, a.new from api_key_overview o
       join audit_log a on a.api_key_id = o.id and a.new ? 'access' and a.action = 'update' where o.id = $1 order by a.id desc limit 1`,
      [id],
    );
    expect(rows).toEqual([{ access: 'write', old: { access: 'read' }, new: { access: 'write' } }]);
  });

  it('leaves no trace of forbidden requests, even with an Idempotency-Key', async () => {
    const { key } = await issueReader();
    const before = await service.pool.query('select count(*) from pets');
    const options = {
      ...{ key, method: 'POST', body: '{"name":"Rex","categoryId":1}' },
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    };
    expect((await service.fetch('/v1/pets', options)).status).toBe(403);
    expect(await service.pool.query('select count(*) from pets')).toMatchObject({ rows: before.rows });
    expect((await service.pool.query(`select from idempotency_keys where key = 'once'`)).rows).toEqual([]);
  });
});
