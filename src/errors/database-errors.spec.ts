import { describe, expect, it } from '@jest/globals';
import { serverError } from '../../test/support/fake-send.js';
import {
  asUnavailable,
  BrokenConnectionError,
  classifyDatabaseError,
  isUnavailable,
  StatementError,
  UnavailableError,
} from './database-errors.js';
import { messageOf } from './describe-error.js';

describe('a SQLSTATE', () => {
  it.each([
    ['08000', 'broken', true],
    ['08001', 'not-sent', true],
    ['08004', 'not-sent', true],
    ['08006', 'broken', true],
    ['08P01', 'broken', true],
    ['28000', 'not-sent', true],
    ['3D000', 'not-sent', true],
    ['57P02', 'broken', true],
    ['57P04', 'broken', true],
    ['57P05', 'broken', true],
    ['25P03', 'broken', true],
    ['25P04', 'broken', true],
    ['40003', 'broken', true],
    ['53100', 'rejected', true],
    ['53200', 'rejected', true],
    ['58030', 'rejected', true],
    ['40001', 'statement-error', true],
    ['40P01', 'statement-error', true],
    ['55P03', 'server-timeout', true],
    ['57014', 'server-timeout', true],
    ['0A000', 'statement-error', false],
    ['22003', 'statement-error', false],
    ['23503', 'statement-error', false],
    ['42P01', 'statement-error', false],
    ['XX000', 'statement-error', false],
  ] as const)('%s is %s; unavailable: %s', (code, failure, unavailable) => {
    const error = serverError(code);
    for (const thrown of [error, new StatementError(error)])
      expect([classifyDatabaseError(thrown), isUnavailable(thrown)]).toEqual([failure, unavailable]);
  });
});

describe('an error', () => {
  it.each([[undefined], [null], ['text'], [{}], [new Error('')], [new TypeError('x is not a function')]])(
    'that is none of a database (%p) is a fault',
    (error) => {
      expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual(['unexpected', false]);
    },
  );
});

describe('what leaves the database', () => {
  it('is unavailable, with the cause, where a retry may help', () => {
    const error = new BrokenConnectionError('Query read timeout');
    expect(asUnavailable(error)).toMatchObject({
      name: 'UnavailableError',
      reason: 'database',
      cause: error,
    });
  });

  it('is otherwise unchanged', () => {
    const fault = new TypeError('x is not a function');
    const unavailable = new UnavailableError('overloaded', 'full');
    expect(asUnavailable(fault)).toBe(fault);
    expect(asUnavailable(unavailable)).toBe(unavailable);
  });

  it('an object that was dropped since the statement was planned is unavailable, as while a dump is restored', () => {
    const error = Object.assign(serverError('XX000'), { message: 'cache lookup failed for function 16999' });
    expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual(['statement-error', true]);
  });

  it('too many SCRAM iterations for the driver are explained', () => {
    const message =
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: iteration count 600000 exceeds scramMaxIterations of 100000';
    expect(messageOf(new Error(message))).toMatch(/; set scram_iterations of the server to 100000 or less/);
  });
});
