import { describe, expect, it } from '@jest/globals';
import { toLibpqUrl } from './libpq-url.js';

describe('toLibpqUrl', () => {
  it.each([
    ['u:p@db:5432/petstore', 'u:p@db:5432/petstore'],
    ['u@localhost/petstore?host=/tmp/a b&schema=public', 'u@localhost/petstore?host=%2Ftmp%2Fa%20b'],
    ['u:p@db/petstore?schema=public&pgbouncer=true&connection_limit=5', 'u:p@db/petstore'],
    ['u:p@db/petstore?sslmode=no-verify', 'u:p@db/petstore?sslmode=require'],
    ['u:p@db/petstore?sslmode=verify-full&uselibpqcompat=true', 'u:p@db/petstore?sslmode=verify-full'],
    ['u:p@db/petstore?ssl=true', 'u:p@db/petstore?sslmode=require'],
    ['u:p@db/petstore?ssl=0&application_name=a+b', 'u:p@db/petstore?application_name=a%20b&sslmode=disable'],
    ['u:p@ss@db/petstore', 'u:p%40ss@db/petstore'],
  ])('%s becomes %s', (given, wanted) => {
    expect(toLibpqUrl(`postgresql://${given}`)).toBe(`postgresql://${wanted}`);
  });
});
