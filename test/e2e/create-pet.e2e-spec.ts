import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { int64Text, legalName, statusOrAbsent } from '../support/arbitraries.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const post = (body: string | Uint8Array, contentType = 'application/json'): Promise<Response> =>
  service.fetch('/v1/pets', { method: 'POST', key, body, headers: { 'content-type': contentType } });

const refusal = async (response: Response): Promise<unknown> => ({
  http: response.status,
  ...((await response.json()) as object),
});

describe('POST /v1/pets', () => {
  describe('201', () => {
    it('answers with the animal, its identifier and its Location', async () => {
      const response = await post('{"name":"Rex","categoryId":7,"status":"available"}');
      expect(response.status).toBe(201);
      const text = await response.text();
      const { id } = JSON.parse(text) as { id: number };
      expect(text).toBe(`{"id":${id},"name":"Rex","categoryId":7,"status":"available"}`);
      expect(response.headers.get('location')).toBe(`/v1/pets/${id}`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it('has no status when none was sent', async () => {
      const text = await (await post('{"name":"Rex","categoryId":7}')).text();
      expect(text).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":7\}$/);
    });

    it.each(['7', '7.0', '7e0', '70E-1'])('takes the category %s for 7', async (number) => {
      const text = await (await post(`{"name":"Rex","categoryId":${number}}`)).text();
      expect(text).toContain('"categoryId":7}');
    });

    it('ignores members it does not know, also an id', async () => {
      const text = await (
        await post('{"id":1,"name":"Rex","categoryId":7,"x":{"y":[{}]},"toString":1}')
      ).text();
      expect(text).toMatch(/^\{"id":\d+,"name":"Rex","categoryId":7\}$/);
      expect(text).not.toContain('"id":1,');
    });

    it('keeps any int64 and any legal name unchanged, through POST, list and get', async () => {
      await fc.assert(
        fc.asyncProperty(int64Text, legalName, statusOrAbsent, async (categoryId, name, status) => {
          const statusMember = status === undefined ? '' : `,"status":"${status}"`;
          const members = `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusMember}}`;
          const created = await (await post(`{${members}`)).text();
          const id = /^\{"id":(-?\d+),/.exec(created)?.[1];
          const expected = `{"id":${id},${members}`;
          expect(created).toBe(expected);
          expect(await (await service.fetch(`/v1/pets/${id}`, { key })).text()).toBe(expected);
          await service.pool.query('delete from pets where id <> $1', [id]);
          expect(await (await service.fetch('/v1/pets', { key })).text()).toBe(`[${expected}]`);
        }),
        { numRuns: 60 },
      );
    });
  });

  describe('400', () => {
    it.each([
      ['null', 'The body must be a JSON object.'],
      ['[]', 'The body must be a JSON object.'],
      ['"Rex"', 'The body must be a JSON object.'],
      ['7', 'The body must be a JSON object.'],
    ])('refuses the body %s', async (body, message) => {
      expect(await refusal(await post(body))).toEqual({
        http: 400,
        status: 400,
        code: 'invalid_body',
        message,
      });
    });

    it('refuses a missing body', async () => {
      const response = await service.fetch('/v1/pets', { method: 'POST', key });
      expect(await refusal(response)).toMatchObject({ http: 400, code: 'invalid_body' });
    });

    it.each([
      ['name', '{"categoryId":7}'],
      ['name', '{"name":null,"categoryId":7}'],
      ['name', '{"name":7,"categoryId":7}'],
      ['name', '{"name":"","categoryId":7}'],
      ['name', '{"name":" \\t\\u00a0\\u2003\\u0085","categoryId":7}'],
      ['name', `{"name":"${'x'.repeat(256)}","categoryId":7}`],
      ['name', '{"name":"a\\u0000b","categoryId":7}'],
      ['name', '{"name":"a\\ud800b","categoryId":7}'],
      ['name', '{"name":["Rex"],"categoryId":7}'],
      ['categoryId', '{"name":"Rex"}'],
      ['categoryId', '{"name":"Rex","categoryId":null}'],
      ['categoryId', '{"name":"Rex","categoryId":"7"}'],
      ['categoryId', '{"name":"Rex","categoryId":true}'],
      ['categoryId', '{"name":"Rex","categoryId":7.5}'],
      ['categoryId', '{"name":"Rex","categoryId":9223372036854775808}'],
      ['categoryId', '{"name":"Rex","categoryId":-9223372036854775809}'],
      ['categoryId', '{"name":"Rex","categoryId":1e30}'],
      ['status', '{"name":"Rex","categoryId":7,"status":null}'],
      ['status', '{"name":"Rex","categoryId":7,"status":"AVAILABLE"}'],
      ['status', '{"name":"Rex","categoryId":7,"status":""}'],
      ['status', '{"name":"Rex","categoryId":7,"status":["sold"]}'],
    ])('names %s as what is wrong with %.60s', async (name, body) => {
      const answer = (await refusal(await post(body))) as { http: number; code: string; message: string };
      expect(answer).toMatchObject({ http: 400, code: 'invalid_body', status: 400 });
      expect(answer.message).toMatch(new RegExp(`^${name} must`));
    });

    it('lists every fault in one line', async () => {
      const answer = (await refusal(await post('{"status":"gone"}'))) as { message: string };
      expect(answer.message).toMatch(/^name must .+\. categoryId must .+\. status must .+\.$/);
    });

    it('takes 255 characters outside the basic plane for 255, not 510', async () => {
      expect((await post(`{"name":"${'🐕'.repeat(255)}","categoryId":7}`)).status).toBe(201);
      expect((await post(`{"name":"${'🐕'.repeat(256)}","categoryId":7}`)).status).toBe(400);
    });

    it.each([
      '{',
      '',
      '{"name":"a","name":"b","categoryId":7}',
      '{"__proto__":{},"name":"a","categoryId":7}',
    ])('calls %s malformed', async (body) => {
      expect(await refusal(await post(body))).toMatchObject({ http: 400, code: 'malformed_json' });
    });

    it('calls a body that is not UTF-8 malformed', async () => {
      const body = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xff]),
        Buffer.from('","categoryId":7}'),
      ]);
      expect(await refusal(await post(body))).toMatchObject({ http: 400, code: 'malformed_json' });
    });
  });

  it('never answers 5xx, whatever the body', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc.json().map((text) => Buffer.from(text)),
          fc
            .record({ name: fc.anything(), categoryId: fc.anything(), status: fc.anything() })
            .map((value) =>
              Buffer.from(
                JSON.stringify(value, (_name, one: unknown) => (typeof one === 'bigint' ? String(one) : one)),
              ),
            ),
        ),
        async (body) => {
          const { status } = await post(body);
          expect([201, 400]).toContain(status);
        },
      ),
      { numRuns: 300 },
    );
  });

  describe('413 and 415', () => {
    it('refuses a body over the limit, with and without a length', async () => {
      const body = `{"name":"Rex","categoryId":7,"x":"${'x'.repeat(70_000)}"}`;
      expect(await refusal(await post(body))).toMatchObject({ http: 413, code: 'body_too_large' });
      const streamed = await service.fetch('/v1/pets', {
        method: 'POST',
        key,
        headers: { 'content-type': 'application/json' },
        body: new Blob([body]).stream(),
        duplex: 'half',
      });
      expect(await refusal(streamed)).toMatchObject({ http: 413, code: 'body_too_large' });
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/jsonp',
      'nonsense',
    ])('refuses the media type %s', async (contentType) => {
      expect(await refusal(await post('{"name":"Rex","categoryId":7}', contentType))).toMatchObject({
        http: 415,
        code: 'unsupported_media_type',
      });
    });

    it('accepts JSON that says its character set', async () => {
      expect((await post('{"name":"Rex","categoryId":7}', 'Application/JSON; Charset="UTF-8"')).status).toBe(
        201,
      );
    });
  });
});
