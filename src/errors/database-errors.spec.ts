import { describe, expect, it } from '@jest/globals';
import { serverError } from '../../test/support/fake-send.js';
import { asUnavailable, classifyDatabaseError, isUnavailable, UnavailableError } from './database-errors.js';
import { messageOf } from './describe-fault.js';

const systemError = (code: string, syscall?: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

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
    expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual([failure, unavailable]);
  });
});

describe('an error of Node', () => {
  it.each([
    ['getaddrinfo EAI_AGAIN', 'not-sent', systemError('EAI_AGAIN', 'getaddrinfo')],
    ['connect ETIMEDOUT', 'not-sent', systemError('ETIMEDOUT', 'connect')],
    [
      'several connect ECONNREFUSED',
      'not-sent',
      new AggregateError([systemError('ECONNREFUSED', 'connect')]),
    ],
    ['read ETIMEDOUT', 'broken', systemError('ETIMEDOUT', 'read')],
    ['write EPIPE', 'broken', systemError('EPIPE', 'write')],
    ['a certificate out of date', 'not-sent', systemError('CERT_HAS_EXPIRED')],
    ['a broken TLS record', 'broken', systemError('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
    ['a wrong argument', 'unexpected', systemError('ERR_INVALID_ARG_TYPE')],
  ] as const)('%s is %s', (_, failure, error) => {
    expect(classifyDatabaseError(error)).toBe(failure);
  });

  it.each([[undefined], [null], ['text'], [{}], [new Error('')], [new TypeError('x is not a function')]])(
    'that is none of a database (%p) is a fault',
    (error) => {
      expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual(['unexpected', false]);
    },
  );
});

describe('an error of Prisma', () => {
  it('whose adapter kept no SQLSTATE is known by its kind', () => {
    const driverAdapterError = { name: 'DriverAdapterError', cause: { kind: 'SocketTimeout' } };
    const error = Object.assign(new Error('Invalid invocation'), {
      code: 'P1008',
      meta: { driverAdapterError },
    });
    expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual(['broken', true]);
  });

  it('a transaction that could not start in time is unavailable', () => {
    expect(isUnavailable(Object.assign(new Error('Transaction API error'), { code: 'P2028' }))).toBe(true);
  });
});

describe('what leaves the database', () => {
  it('is unavailable, with the cause, where a retry may help', () => {
    const error = new Error('Query read timeout');
    expect(asUnavailable(error)).toMatchObject({
      name: 'UnavailableError',
      reason: 'database',
      cause: error,
    });
  });

  it('is otherwise the error as it was', () => {
    const fault = new TypeError('x is not a function');
    const unavailable = new UnavailableError('overloaded', 'full');
    expect(asUnavailable(fault)).toBe(fault);
    expect(asUnavailable(unavailable)).toBe(unavailable);
  });

  it('an object that was dropped since the statement was planned is unavailable, as while a dump is restored', () => {
    const error = Object.assign(serverError('XX000'), { message: 'cache lookup failed for function 16999' });
    expect([classifyDatabaseError(error), isUnavailable(error)]).toEqual(['statement-error', true]);
  });

  it('more iterations of SCRAM than the driver runs have a sentence', () => {
    const message =
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: iteration count 600000 exceeds scramMaxIterations of 100000';
    expect(messageOf(new Error(message))).toMatch(/; set scram_iterations of the server to 100000 or less/);
  });
});
