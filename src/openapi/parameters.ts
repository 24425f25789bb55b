import type { Json } from './json.js';

/** The parameters in headers, by component. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique value for this request, such as a UUID. If you repeat the request with the same value and body within 24 ' +
      'hours, it is not executed again and returns the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    example: '5f0c3a52-7a63-4f0e-9d0b-6f1f3c1f2b7e',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'One or more `ETag` values. If none of them matches the current one, the response is 412 `precondition_failed` and nothing ' +
      'is changed. Weak tags never match; `*` matches any `ETag`.',
    schema: { type: 'string' },
    example: '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of your copy, or several. If one is still current, a read returns 304, and a write is 412 ' +
      '`precondition_failed` and changes nothing. `*` is every `ETag`.',
    schema: { type: 'string' },
    example: '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
  },
} as const satisfies Record<string, Json>;

/** Conditions are evaluated on reads and on writes of one record, but not when adding to a collection. */
export const isConditional = (method: string): boolean => method !== 'post';

export function headerParametersOf(method: string): readonly Json[] {
  const names: readonly (keyof typeof PARAMETERS)[] = [
    ...(isConditional(method) ? (['If-Match', 'If-None-Match'] as const) : []),
    ...(method === 'post' ? (['Idempotency-Key'] as const) : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
