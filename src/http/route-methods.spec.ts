import { describe, expect, it } from '@jest/globals';
import { RouteMethods } from './route-methods.js';

describe('the routes', () => {
  it('are operations or public documents, which have names in logs and metrics', () => {
    const unnamed = { method: 'GET', url: '/v1/secrets', config: {} };
    expect(() => new RouteMethods().add(unnamed)).toThrow(
      'GET /v1/secrets is neither an @Operation() nor @Public()',
    );
  });

  it('have only methods that preflight responses list', () => {
    const unlisted = { method: 'TRACE', url: '/v1/secrets', config: { operation: 'traceSecrets' } };
    expect(() => new RouteMethods().add(unlisted)).toThrow('METHODS lacks TRACE, which /v1/secrets supports');
  });
});
