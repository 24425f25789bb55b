import type { Json } from './json.js';

/** What the document says of the service as a whole. */
export const INFO: Json = {
  title: 'Pet Store Service',
  version: '1.0.0',
  summary: 'The animals of a pet store, and the orders for them.',
  description: [
    'List, add and order the animals of a pet store. At `/docs` there is a guide, and a page to try each operation.',
    'Every request needs an API key: `Authorization: Bearer <key>`.',
    'Identifiers are integers of 64 bits, written as JSON numbers to the digit. In JavaScript, read what is beyond ' +
      '2^53 with a parser that keeps them, such as the typed client of this service does.',
    'Whatever is no success has an Error as its body, with a `code` out of a closed set. Every answer carries the ' +
      'state of its rate limits; after a 429 or a 503 wait for the seconds in `Retry-After`. A 503 to a ' +
      'write may leave its outcome unknown: repeat it with the same `Idempotency-Key`, and it is done once.',
    'Every `GET` also answers `HEAD`: the same status and headers, without a body. A path that does not exist is 404 ' +
      '`not_found`, and a path that does not offer the method is 405 `method_not_allowed` with `Allow`.',
    'Members that you do not know may join an answer: ignore them.',
  ].join('\n\n'),
  contact: { name: 'The team of the Pet Store Service' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The groups of operations, in the order in which they are read. */
export const TAGS = [
  { name: 'Pets', description: 'The animals of the store.' },
  { name: 'Store', description: 'Orders for animals, and how many there are.' },
  { name: 'Usage', description: 'What your API key has used of its limits.' },
] as const;
