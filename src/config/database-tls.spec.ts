import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from './config.js';
import { connectionTo, DatabaseTlsError, describeProtection } from './database-tls.js';

let folder: string;
let text: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-tls-'));
  text = join(folder, 'text.pem');
  writeFileSync(text, 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true }));

const urlWith = (parameters: string): string => `postgresql://u:p@db.example/petstore?${parameters}`;

describe('connectionTo', () => {
  it.each([
    ['', 'has no parameters'],
    ['options=-c%20jit%3Doff&connect_timeout=3', 'has none of TLS'],
  ])('leaves an URL alone that %s', (parameters) => {
    expect(connectionTo(urlWith(parameters))).toEqual({ connectionString: urlWith(parameters) });
  });

  it('strips only the TLS parameters, which `pg` interprets differently', () => {
    expect(connectionTo(urlWith('sslmode=disable&connect_timeout=3&uselibpqcompat=true'))).toEqual({
      connectionString: urlWith('connect_timeout=3'),
      ssl: false,
    });
  });

  it('strips application_name: sessions are found by that of the service', () => {
    expect(connectionTo(urlWith('application_name=shop&connect_timeout=3'))).toEqual({
      connectionString: urlWith('connect_timeout=3'),
    });
  });

  const instead = /: write sslmode=verify-full, verify-ca, require or disable$/;

  it.each([
    ['sslmode=prefer', /^has sslmode=prefer, which falls back to plain text if TLS is not offered/, instead],
    ['sslmode=allow', /^has sslmode=allow/, instead],
    ['sslmode=verify_full', /^has an unknown sslmode/, instead],
    ['ssl=true', /^has ssl=true, which does not say what is verified/, instead],
    ['sslrootcert=/ca.pem', /^has a TLS parameter, but no sslmode/, instead],
    ['sslmode=verify-ca', /any host with a public certificate/, /write sslmode=verify-full$/],
    ['sslmode=verify-ca&sslrootcert=system', /any host with a public certificate/, /verify-full$/],
    ['sslmode=require&sslrootcert=system', /any host with a public certificate/, /verify-full$/],
    ['sslmode=verify-full&sslrootcert=/nowhere/ca.pem', /sslrootcert \/nowhere\/ca.pem/, /\(ENOENT\)$/],
    ['sslmode=verify-full&sslcrl=/crl.pem', /^has sslcrl, which is not supported$/, /./],
    ['require_auth=scram-sha-256', /^has require_auth, which is not supported$/, /./],
    ['target_session_attrs=standby', /^has target_session_attrs, which is not supported$/, /./],
    ['sslmode=disable&sslmode=prefer', /^has sslmode=prefer/, instead],
    [
      'sslmode=require&sslnegotiation=Direct',
      /^has an unknown sslnegotiation/,
      /write direct, or leave it out$/,
    ],
    [
      'sslmode=disable&channel_binding=require',
      /^has channel_binding=require, which sslmode=disable cannot fulfil/,
      /sslmode=verify-full$/,
    ],
    ['sslmode=require&sslcert=/nowhere/c.pem', /^needs sslcert and sslkey together$/, /./],
  ])('rejects %s with what to write instead', (parameters, message, end) => {
    expect(() => connectionTo(urlWith(parameters))).toThrow(DatabaseTlsError);
    expect(() => connectionTo(urlWith(parameters))).toThrow(message);
    expect(() => connectionTo(urlWith(parameters))).toThrow(end);
  });

  it('verifies the server if channel binding is required, which the driver does not enforce', () => {
    const { ssl } = connectionTo(urlWith('sslmode=require&channel_binding=require'));
    expect(ssl).toMatchObject({ rejectUnauthorized: true });
    expect(ssl).not.toHaveProperty('checkServerIdentity');
    expect(connectionTo(urlWith('sslmode=require&channel_binding=prefer')).ssl).toMatchObject({
      rejectUnauthorized: false,
    });
  });

  it('rejects a file that is not a certificate, which would fail every connection', () => {
    expect(() => connectionTo(urlWith(`sslmode=verify-full&sslrootcert=${text}`))).toThrow(
      `has the sslrootcert ${text}, which is not a PEM certificate`,
    );
  });
});

/** As the consoles of the platforms print them, with other names and passwords. */
const PRINTED = [
  'postgresql://neondb_owner:npg_a1B2c3D4e5F6@ep-cool-darkness-a1b2c3d4-pooler.eu-central-1.aws.neon.tech/neondb?sslmode=require&channel_binding=require',
  'postgresql://postgres:[YOUR-PASSWORD]@db.abcdefghijklmnopqrst.supabase.co:5432/postgres',
  'postgresql://postgres.abcdefghijklmnopqrst:[YOUR-PASSWORD]@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true',
  'postgresql://postgres.abcdefghijklmnopqrst:[YOUR-PASSWORD]@aws-0-eu-central-1.pooler.supabase.com:5432/postgres',
  'postgresql://postgres:secret@petstore.c9akciq32abc.eu-central-1.rds.amazonaws.com:5432/postgres?sslmode=verify-full&sslrootcert=system',
  'postgresql://petstore_user:Ab1Cd2Ef3@dpg-cabcdefghijklmnopqrs-a/petstore',
  'postgresql://petstore_user:Ab1Cd2Ef3@dpg-cabcdefghijklmnopqrs-a.frankfurt-postgres.render.com/petstore',
  'postgresql://postgres:AbCdEfGh@postgres.railway.internal:5432/railway',
  'postgresql://postgres:AbCdEfGh@monorail.proxy.rlwy.net:12345/railway',
  'postgres://petstore:AbCdEfGh@petstore-db.flycast:5432/petstore?sslmode=disable',
  'postgresql://fly-user:AbCdEfGh@pgbouncer.abc123def456.flympg.net/fly-db',
  'postgres://u1abc:pabc@ec2-1-2-3-4.compute-1.amazonaws.com:5432/d1abc',
];

describe('URLs of platforms', () => {
  it.each(PRINTED)('%s is accepted as it is', (url) => {
    const { database } = loadConfig({ DATABASE_URL: url });
    expect(database.url).toBe(url);
    const { host, user, database: name } = new Client(connectionTo(url));
    const { hostname, username, pathname } = new URL(url);
    expect([host, user, name]).toEqual([hostname, username, pathname.slice(1)]);
  });
});

describe("libpq's variables", () => {
  const NAMES = ['PGSSLMODE', 'PGSSLROOTCERT', 'PGCHANNELBINDING'] as const;
  const before = NAMES.map((name) => process.env[name]);
  afterEach(() => {
    for (const [index, name] of NAMES.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  });

  it('supply parameters missing from a URL that requests TLS', () => {
    process.env['PGSSLROOTCERT'] = text;
    const url = 'postgresql://u@variables.example/petstore';
    // The file is read.
    expect(() => connectionTo(`${url}?sslmode=require`)).toThrow(/which is not a PEM certificate/);
    expect(
      connectionTo(`${url}?sslmode=require&sslrootcert=system`.replace('require', 'verify-full')).ssl,
    ).toBeTruthy();
    expect(connectionTo(url).ssl).toBeUndefined();
  });

  it('require channel binding, which needs TLS', () => {
    process.env['PGCHANNELBINDING'] = 'require';
    expect(() => connectionTo('postgresql://u@bound.example/petstore')).toThrow(/no sslmode/);
    expect(connectionTo('postgresql://u@bound.example/petstore?sslmode=require').ssl).toMatchObject({
      rejectUnauthorized: true,
    });
  });

  it('are the mode of a URL without one, as for psql', () => {
    process.env['PGSSLMODE'] = 'require';
    const url = 'postgresql://u@mode.example/petstore';
    expect(connectionTo(url).ssl).toMatchObject({ rejectUnauthorized: false });
    expect(describeProtection(url)).toMatchObject({ needsWarning: false });
    expect(connectionTo(`${url}?sslmode=disable`).ssl).toBe(false);
  });
});

describe('describeProtection', () => {
  it.each([
    ['postgresql://u@db.example/petstore', 'connections to the database at db.example are not encrypted'],
    ['postgresql://u@db.example/petstore?sslmode=no-verify', 'sslmode=no-verify means require'],
  ])('%s is doubtful', (url, message) => {
    const { text: said, needsWarning } = describeProtection(url);
    expect([said, needsWarning]).toEqual([expect.stringContaining(message), true]);
  });

  it.each([
    ['postgresql://u@localhost/petstore', 'the database is on this machine'],
    ['postgresql://u@127.0.0.1:5433/petstore', 'the database is on this machine'],
    ['postgresql://u@[::1]/petstore', 'the database is on this machine'],
    ['postgresql://u@x/petstore?host=/run/postgresql', 'the database is on this machine'],
    ['postgresql://u@db.example/petstore?sslmode=disable', 'no TLS (sslmode=disable)'],
    [
      'postgresql://u@db.example/petstore?sslmode=verify-full',
      'TLS (sslmode=verify-full), with verification of the server',
    ],
  ])('%s is as it should be', (url, message) => {
    expect(describeProtection(url)).toEqual({ text: message, needsWarning: false });
  });
});
