import { describe, expect, it } from '@jest/globals';
import { StacklessError } from './api-error.js';

class Refusal extends StacklessError {
  override readonly name = 'Refusal';
}

describe('StacklessError', () => {
  it('has its message and its cause, and no place in the code', () => {
    const cause = new Error('inside');
    const refusal = new Refusal('not now', { cause });
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal.message).toBe('not now');
    expect(refusal.cause).toBe(cause);
    expect(refusal.stack).not.toContain('\n');
  });

  it('leaves the stacks of all others as they were', () => {
    expect(new Refusal('not now').stack).not.toContain('\n');
    expect(new Error('a fault').stack).toContain('api-error.spec');
  });
});
