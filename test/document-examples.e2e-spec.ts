import { describe, expect, it } from '@jest/globals';
import { prepareFirstStart } from '../src/lifecycle/first-start.js';
import { OPERATIONS } from './support/document.js';
import { useService } from './support/use-service.js';

/** A new store, as `npm start` makes one. */
let key = '';
const service = useService({
  prepare: (databaseUrl) => prepareFirstStart(databaseUrl, (first) => (key = first?.apiKey ?? '')),
});

/** What deletes comes last, so that the others find their rows. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const operations = OPERATIONS.toSorted(
  (one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method),
);

describe('the examples of the document', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s succeeds on a new store',
    async (_id, { method, path, parameters, bodyExample }) => {
      const target = parameters.reduce(
        (text, { name, schema }) => text.replace(`{${name}}`, String(schema.examples?.[0])),
        path,
      );
      const response = await service.fetch(target, {
        key,
        method,
        ...(bodyExample !== undefined && {
          body: JSON.stringify(bodyExample),
          headers: { 'content-type': 'application/json' },
        }),
      });
      expect(response.status).toBeLessThan(300);
    },
  );
});
