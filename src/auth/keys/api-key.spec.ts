import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import fc from 'fast-check';
import { ApiError } from '../../errors/api-error.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { authenticationError, checksumOf, hashApiKey, hasApiKeyForm, readCredential } from './api-key.js';

const DIGITS = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const body = fc
  .string({ unit: fc.constantFrom(...DIGITS), minLength: 32, maxLength: 32 })
  .map((random) => `psk_${random}`);
const KEY = 'psk_0123456789abcdefghijklmnopqrstuv';
const key = `${KEY}${checksumOf(KEY)}`;

describe('the form of an API key', () => {
  it('has a checksum, so that any wrong character is found without the database', () => {
    fc.assert(
      fc.property(body, fc.nat(41), fc.constantFrom(...DIGITS), (text, place, digit) => {
        const valid = text + checksumOf(text);
        expect(hasApiKeyForm(valid)).toBe(true);
        const changed = valid.slice(0, place) + digit + valid.slice(place + 1);
        expect(hasApiKeyForm(changed)).toBe(changed === valid);
      }),
    );
  });

  it.each(['', 'psk_', key.slice(0, -1), `${key}0`, ` ${key}`, key.replace('psk', 'PSK'), `${key}\n`])(
    'is not that of %j',
    (text) => {
      expect(hasApiKeyForm(text)).toBe(false);
    },
  );
});

describe('the credential of an Authorization header', () => {
  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', key])('is none in %j', (header) => {
    expect(readCredential(header)).toBe('none');
  });

  it.each([`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])('is the hash of the key in %j', (header) => {
    expect(readCredential(header)).toBe(hashApiKey(key));
  });

  it.each([`Bearer ${key} x`, `Bearer ${key}, Bearer ${key}`, 'Bearer x', `Bearer\t${key} `])(
    'is not that of a key in %j',
    (header) => {
      expect(['malformed', 'none']).toContain(readCredential(header));
    },
  );
});

const challenge = (error: ApiError): unknown => error.headers?.['www-authenticate'];

describe('a 401', () => {
  it('has a challenge, with an error only when a key was sent', () => {
    expect(challenge(authenticationError('missing_api_key'))).toBe('Bearer realm="petstore"');
    expect(challenge(authenticationError('expired_api_key'))).toMatch(
      /^Bearer realm="petstore", error="invalid_token", error_description="[^"]+"$/,
    );
  });
});

const activate = (request: object): boolean | ApiError => {
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext;
  try {
    return new ApiKeyGuard().canActivate(context);
  } catch (error) {
    return error as ApiError;
  }
};
const withRoute = (decision: object | undefined, config = {}): object => ({
  decision,
  routeOptions: { config },
});

describe('ApiKeyGuard', () => {
  it('throws the rejection of admission, and 401 where there is no decision', () => {
    const rejection = new ApiError('service_unavailable');
    expect(activate(withRoute({ rejection }))).toBe(rejection);
    expect(activate(withRoute(undefined))).toMatchObject({ code: 'missing_api_key' });
  });

  it('lets public operations within their limit pass, and valid keys, whose rejection is the throttler’s', () => {
    const rejection = new ApiError('rate_limit_exceeded');
    expect(activate(withRoute({}, { public: true }))).toBe(true);
    expect(activate(withRoute({ rejection }, { public: true }))).toBe(rejection);
    const caller = { keyId: 1n, planId: 'free' };
    expect(activate(withRoute({ rejection, caller, state: 'banned' }))).toBe(true);
    expect(activate(withRoute({ rejection, caller, state: 'suspended' }))).toBe(rejection);
  });
});
