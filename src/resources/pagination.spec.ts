import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, Paging } from './pagination.js';
import { INT64_MAX, INT64_MIN } from '../database/int64.js';

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const list = fc.constantFrom(
  '/v1/pets?',
  '/v1/pets?status=sold&',
  '/v1/pets?status=pending&',
  '/v1/store/orders?',
);

function linksOf(name: string): string {
  const query = { limit: 7, sort: 'id', name } as const;
  return new Paging('/v1/pets', query).respond({ json: '[]', nextId: 8n }).headersAt('')['link'] ?? '';
}

describe('the links of a page', () => {
  it('repeat the filter exactly, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const links = linksOf(name);
        for (const [, link = ''] of links.matchAll(/<([^>]*)>/g)) {
          const { searchParams } = new URL(link, 'http://localhost');
          expect([searchParams.get('name'), searchParams.get('limit')]).toEqual([name, '7']);
        }
        expect([...links.matchAll(/<([^>]*)>/g)]).toHaveLength(2);
      }),
    );
  });
});

describe('the cursor', () => {
  it('round-trips every int64', () => {
    fc.assert(
      fc.property(list, int64, (one, id) => expect(decodeCursor(one, encodeCursor(one, id))).toBe(id)),
    );
  });

  it('fits only its list and filter', () => {
    fc.assert(
      fc.property(list, list, int64, (one, other, id) => {
        fc.pre(one !== other);
        expect(decodeCursor(other, encodeCursor(one, id))).toBeUndefined();
      }),
    );
  });

  it('is rejected when a character is changed, added or missing', () => {
    fc.assert(
      fc.property(
        list,
        int64,
        fc.nat(17),
        fc.constantFrom('A', 'b', '7', '-', '_', '+', '/', '=', ' ', ''),
        (one, id, at, by) => {
          const cursor = encodeCursor(one, id);
          for (const tampered of [
            cursor.slice(0, at) + by + cursor.slice(at + 1),
            cursor.slice(0, at) + by + cursor.slice(at),
          ]) {
            fc.pre(tampered !== cursor);
            expect(decodeCursor(one, tampered)).toBeUndefined();
          }
        },
      ),
    );
  });

  it('is rejected whatever else it is', () => {
    fc.assert(fc.property(list, fc.string(), (one, text) => expect(decodeCursor(one, text)).toBeUndefined()));
  });
});
