import { describe, expect, it } from '@jest/globals';
import { UntrustedProxyWarning } from './untrusted-proxy-warning.js';

const warningsAfter = (...requests: readonly Record<string, string>[]): string[] => {
  const messages: string[] = [];
  const warning = new UntrustedProxyWarning((message) => messages.push(message));
  for (const headers of requests) warning.observe(headers);
  return messages;
};

describe('UntrustedProxyWarning', () => {
  it('says nothing while no request was forwarded', () => {
    expect(warningsAfter({}, { host: 'example.com', via: '1.1 cache' })).toEqual([]);
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=203.0.113.7' },
  ])('names TRUST_PROXY when a request carries %j', (headers) => {
    expect(warningsAfter(headers)).toEqual([expect.stringContaining('TRUST_PROXY')]);
  });

  it('warns once, however many requests follow, and repeats nothing that a client wrote', () => {
    const forwarded = { 'x-forwarded-for': 'written by a client' };
    const messages = warningsAfter({}, forwarded, forwarded, { forwarded: 'for=_x' });
    expect(messages).toHaveLength(1);
    expect(messages[0]).not.toContain('written by a client');
  });
});
