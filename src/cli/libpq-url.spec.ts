import { describe, expect, it } from '@jest/globals';
import { systemCaFile } from '../config/database-tls.js';
import { toLibpqUrl } from './libpq-url.js';

describe('toLibpqUrl', () => {
  it.each([
    ['u:p@db:5432/petstore', 'u:p@db:5432/petstore'],
    ['u@localhost/petstore?host=/tmp/a b&schema=public', 'u@localhost/petstore?host=%2Ftmp%2Fa%20b'],
    ['u:p@db/petstore?schema=public&pgbouncer=true&connection_limit=5', 'u:p@db/petstore'],
    ['u:p@db/petstore?sslmode=no-verify', 'u:p@db/petstore?sslmode=require'],
    [
      'u:p@db/petstore?sslmode=verify-ca&sslrootcert=/ca.pem&uselibpqcompat=true',
      'u:p@db/petstore?sslmode=verify-ca&sslrootcert=%2Fca.pem',
    ],
    [
      'u:p@db/petstore?sslmode=disable&application_name=a+b',
      'u:p@db/petstore?sslmode=disable&application_name=a%20b',
    ],
    ['u:p@ss@db/petstore', 'u:p%40ss@db/petstore'],
  ])('%s becomes %s', (given, wanted) => {
    expect(toLibpqUrl(`postgresql://${given}`)).toBe(`postgresql://${wanted}`);
  });

  it('names the CAs of the system, which psql does not look for by itself', () => {
    const { searchParams } = new URL(toLibpqUrl('postgresql://u@db/petstore?sslmode=verify-full'));
    expect(searchParams.get('sslrootcert')).toBe(systemCaFile() ?? 'system');
  });
});
