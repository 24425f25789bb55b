import { describe, expect, it } from '@jest/globals';
import type { ApiKeyHash } from '../keys/api-key.js';
import { RecentSecrets } from './recent-secrets.js';

const secret = (number: number): ApiKeyHash => `\\x${number}` as ApiKeyHash;
const of = (secrets: RecentSecrets, nowMs: number, ...numbers: number[]): boolean[] =>
  numbers.map((number) => secrets.has(secret(number), nowMs));

describe('RecentSecrets', () => {
  it('remembers a secret for its time at least, and for twice as long at most', () => {
    const secrets = new RecentSecrets(10, 1000);
    secrets.add(secret(1), 5000);
    secrets.add(secret(2), 5900);
    expect(of(secrets, 6899, 1, 2, 3)).toEqual([true, true, false]);
    secrets.add(secret(2), 6899);
    expect(of(secrets, 7899, 1, 2)).toEqual([false, true]);
    expect(of(secrets, 60_000, 1, 2)).toEqual([false, false]);
  });

  it('forgets a secret that was rejected', () => {
    const secrets = new RecentSecrets(10, 1000);
    secrets.add(secret(1), 0);
    secrets.add(secret(2), 1500);
    secrets.remove(secret(1));
    secrets.remove(secret(2));
    expect(of(secrets, 1500, 1, 2)).toEqual([false, false]);
  });

  it('remembers twice as many as its maximum at most, those that were admitted last', () => {
    const secrets = new RecentSecrets(3, 1000);
    for (let number = 1; number <= 99; number += 1) secrets.add(secret(number), 10);
    const remembered = Array.from({ length: 99 }, (_, nth) => nth + 1).filter((number) =>
      secrets.has(secret(number), 10),
    );
    expect(remembered).toEqual([97, 98, 99]);
  });

  it('survives a clock set back', () => {
    const secrets = new RecentSecrets(10, 1000);
    secrets.add(secret(1), 1_000_000);
    secrets.add(secret(2), 10);
    expect(of(secrets, 20, 1, 2)).toEqual([true, true]);
  });
});
