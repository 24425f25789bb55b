import { describe, expect, it } from '@jest/globals';
import { StacklessError } from './api-error.js';

class Rejection extends StacklessError {
  override readonly name = 'Rejection';
}

describe('StacklessError', () => {
  it('has its message and its cause, and no place in the code', () => {
    const cause = new Error('inside');
    const rejection = new Rejection('not now', { cause });
    expect(rejection).toBeInstanceOf(Error);
    expect(rejection.message).toBe('not now');
    expect(rejection.cause).toBe(cause);
    expect(rejection.stack).not.toContain('\n');
  });

  it('leaves the stacks of all others as they were', () => {
    expect(new Rejection('not now').stack).not.toContain('\n');
    expect(new Error('a fault').stack).toContain('api-error.spec');
  });
});
