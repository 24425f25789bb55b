import { beforeEach, describe, expect, it } from '@jest/globals';
import { type CheckedResponse, Conformance } from './conformance.js';

const responseOf = (schema: object, headers: object = {}): object => ({
  headers,
  content: { 'application/json': { schema } },
});

const DOCUMENT = JSON.stringify({
  servers: [{ url: '/v1' }],
  paths: {
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        responses: {
          200: responseOf(
            { $ref: '#/components/schemas/Pet' },
            { ETag: { $ref: '#/components/headers/ETag' } },
          ),
          304: { headers: { 'Retry-After': { schema: { type: 'integer' } } } },
        },
      },
    },
  },
  components: {
    headers: { ETag: { required: true, schema: { type: 'string' } } },
    schemas: {
      Pet: {
        type: 'object',
        properties: { id: { type: 'integer', format: 'int64' }, at: { type: 'string', format: 'date-time' } },
        required: ['id'],
      },
    },
  },
});

const OK: CheckedResponse = {
  method: 'GET',
  target: '/v1/pets/7?x=1',
  status: 200,
  headers: Object.entries({ 'Content-Type': 'application/json; charset=utf-8', ETag: '"a"', Date: 'now' }),
  body: '{"id":9223372036854775807,"at":"2026-11-20T09:30:00.000Z"}',
};

let conformance: Conformance;
beforeEach(() => {
  conformance = new Conformance(DOCUMENT);
});

describe('the check of a response against the document', () => {
  it('finds nothing wrong with what is documented, and remembers that it occurred', () => {
    expect(conformance.faults(OK)).toEqual([]);
    expect([...conformance.seen]).toEqual(['getPet 200']);
    expect([...conformance.documented]).toEqual(['getPet 200', 'getPet 304']);
  });

  it.each<[string, Partial<CheckedResponse>, RegExp]>([
    ['another status', { status: 404 }, /getPet 404 is not documented/],
    ['another header', { headers: [...OK.headers, ['X-New', '1']] }, /header x-new is not documented/],
    [
      'a header that is missing',
      { headers: [['content-type', 'application/json']] },
      /header ETag is missing/,
    ],
    ['another media type', { headers: [['ETag', '"a"']] }, /media type "" is not documented/],
    ['another member', { body: '{"id":1,"new":true}' }, /additional properties/],
    ['a member that is missing', { body: '{}' }, /required property 'id'/],
    ['another type', { body: '{"id":"1"}' }, /must be integer/],
    ['a number that is not written plainly', { body: '{"id":1.0}' }, /1\.0 is no int64/],
    ['a number beyond int64', { body: '{"id":9223372036854775808}' }, /no int64/],
    ['a time in another form', { body: '{"id":1,"at":"2026-11-20T09:30:00+01:00"}' }, /format "date-time"/],
    ['a body where there is none', { status: 304 }, /a body is not documented/],
    [
      'a number that is none in a header',
      { status: 304, body: '', headers: [['Retry-After', 'soon']] },
      /Retry-After is no integer/,
    ],
    [
      'a response to HEAD that GET does not give',
      { method: 'HEAD', status: 404, body: '', headers: [] },
      /getPet 404 is not documented/,
    ],
    [
      'a response to HEAD without a header of GET',
      { method: 'HEAD', body: '', headers: [] },
      /ETag is missing/,
    ],
    ['a response to HEAD with a body', { method: 'HEAD' }, /HEAD has a body/],
  ])('finds %s', (_what, difference, fault) => {
    expect(conformance.faults({ ...OK, ...difference }).join('\n')).toMatch(fault);
  });

  it.each(['/v1/pets', '/v1/pets/7/', '/pets/7', '/docs'])(
    'leaves %s alone, which no operation responses',
    (target) => {
      expect(conformance.faults({ ...OK, target, status: 404 })).toEqual([]);
      expect(conformance.seen.size).toBe(0);
    },
  );
});
