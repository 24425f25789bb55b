import { existsSync, readFileSync } from 'node:fs';
import {
  type ConnectionOptions,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import type { ClientConfig } from 'pg';

/** The TLS parameters of a database URL are invalid. The message begins with a verb: `DATABASE_URL: has …`. */
export class DatabaseTlsError extends Error {
  override readonly name = 'DatabaseTlsError';
}

const MODES = ['verify-full', 'verify-ca', 'require', 'disable'] as const;

type Mode = (typeof MODES)[number];

/** The name of `require` in Node.js drivers. */
const NO_VERIFY = 'no-verify';

/** The parameters that `pg` and libpq understand differently. */
const TLS_PARAMETERS = [
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'channel_binding',
  'uselibpqcompat',
] as const;

/** libpq's variables for parameters missing in a URL. */
const VARIABLES: Readonly<Record<string, string>> = {
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
};

/**
 * libpq parameters whose guarantees would be silently dropped, except with these values. Others set time-outs;
 * the service has its own.
 */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  ...{ sslcrl: [], sslcrldir: [], sslpassword: [], requirepeer: [], require_auth: [], requiressl: ['0'] },
  ...{ ssl_min_protocol_version: [], ssl_max_protocol_version: [], sslcertmode: ['allow'] },
  ...{ hostaddr: [], service: [], servicefile: [], passfile: [], load_balance_hosts: ['disable'] },
  ...{ target_session_attrs: ['any', 'read-write'], gssencmode: ['disable', 'prefer'] },
};

type TlsParameters = Readonly<Record<(typeof TLS_PARAMETERS)[number], string>>;

// oxlint-disable-next-line node/no-process-env -- variables of OpenSSL and Node.js are not this program's configuration
const environment = process.env;

/** In place of a file: the CAs of the system, as in libpq 16. */
const SYSTEM = 'system';

/** Where operating systems store their trusted CA certificates. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Alpine
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, Red Hat
  '/etc/ssl/ca-bundle.pem', // SUSE
  '/etc/ssl/cert.pem', // macOS
];

const known = new Map<string, ClientConfig>();

/**
 * How `pg` connects to a database: with TLS as in libpq (PostgreSQL's documentation, section 34.19.1). Files in a URL are
 * read once per process.
 *
 * @throws DatabaseTlsError
 */
export function connectionTo(databaseUrl: string): ClientConfig {
  const config = known.get(databaseUrl) ?? toClientConfig(databaseUrl);
  known.set(databaseUrl, config);
  return { ...config };
}

function toClientConfig(databaseUrl: string): ClientConfig {
  const url = new URL(databaseUrl);
  for (const [name, value] of url.searchParams) {
    if (UNSUPPORTED[name]?.includes(value) === false)
      throw new DatabaseTlsError(`has ${name}, which is not supported`);
  }
  // The service's sessions are found by application_name, which the URL would override.
  const isNamed = url.searchParams.has('application_name');
  url.searchParams.delete('application_name');
  const parameters = tlsParametersOf(url);
  if (Object.values(parameters).every((text) => text === ''))
    return { connectionString: isNamed ? url.href : databaseUrl };
  for (const name of TLS_PARAMETERS) url.searchParams.delete(name);
  const ssl = !isSocket(hostOf(url)) && toTlsOptions(parameters);
  const isDirect = ssl !== false && parameters.sslnegotiation === 'direct';
  if (!['', 'postgres', 'direct'].includes(parameters.sslnegotiation)) {
    throw new DatabaseTlsError('has an unknown sslnegotiation: write direct, or leave it out');
  }
  return { connectionString: url.href, ssl, ...(isDirect && { sslnegotiation: 'direct' }) };
}

function tlsParametersOf({ searchParams }: URL): TlsParameters {
  // As in libpq, the last duplicate wins.
  const named = TLS_PARAMETERS.map((name) => [name, searchParams.getAll(name).at(-1) ?? ''] as const);
  const given = Object.fromEntries(named) as Record<keyof TlsParameters, string>;
  if (environment['PGCHANNELBINDING'] === 'require') given.channel_binding ||= 'require';
  const sslmode = given.sslmode || (environment['PGSSLMODE'] ?? '');
  const parameters = sslmode === '' ? given : withEnvironment(given);
  // The driver does not enforce channel binding. A verified certificate also identifies the server.
  const isBound = sslmode === 'require' && parameters.channel_binding === 'require';
  return { ...parameters, sslmode: isBound ? 'verify-full' : sslmode };
}

/** Only if sslmode is set: these variables are for other programs, too. */
const withEnvironment = (given: TlsParameters): TlsParameters => {
  const values = Object.entries(given).map(([name, value]) => [
    name,
    value || (environment[VARIABLES[name] ?? ''] ?? ''),
  ]);
  return Object.fromEntries(values) as TlsParameters;
};

function toTlsOptions(parameters: TlsParameters): ConnectionOptions | false {
  const mode = modeOf(parameters);
  const { sslmode, sslrootcert, channel_binding: binding } = parameters;
  if (binding === 'require' && (mode === 'disable' || sslmode === NO_VERIFY)) {
    throw new DatabaseTlsError(
      `has channel_binding=require, which sslmode=${sslmode} cannot fulfil: write sslmode=verify-full`,
    );
  }
  if (!['', 'require', 'prefer', 'disable'].includes(binding)) {
    throw new DatabaseTlsError('has an unknown channel_binding: write require, or leave it out');
  }
  if (mode === 'disable') return false;
  const hasOwnCa = sslmode !== NO_VERIFY && sslrootcert !== '' && sslrootcert !== SYSTEM;
  if (!hasOwnCa && (mode === 'verify-ca' || (mode === 'require' && sslrootcert === SYSTEM))) {
    throw new DatabaseTlsError(
      `has sslmode=${mode} without a CA of its own, so any host with a public certificate would be accepted: set sslrootcert to a file, or write sslmode=verify-full`,
    );
  }
  const isVerified = mode !== 'require' || hasOwnCa;
  const ca = isVerified && (hasOwnCa ? readCertificates('sslrootcert', sslrootcert) : systemCas());
  return {
    secureContext: toSecureContext({ ...(ca !== false && { ca }), ...readIdentity(parameters) }),
    rejectUnauthorized: isVerified,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

function modeOf({ ssl, sslmode }: TlsParameters): Mode {
  const instead = `write sslmode=${MODES.slice(0, -1).join(', ')} or ${MODES.at(-1)}`;
  if (ssl !== '')
    throw new DatabaseTlsError(`has ssl=${ssl}, which does not say what is verified: ${instead}`);
  if (sslmode === '') throw new DatabaseTlsError(`has a TLS parameter, but no sslmode: ${instead}`);
  if (sslmode === 'prefer' || sslmode === 'allow') {
    const why = 'which falls back to plain text if TLS is not offered';
    throw new DatabaseTlsError(`has sslmode=${sslmode}, ${why}: ${instead}`);
  }
  const mode = MODES.find((one) => one === (sslmode === NO_VERIFY ? 'require' : sslmode));
  if (mode === undefined) throw new DatabaseTlsError(`has an unknown sslmode: ${instead}`);
  return mode;
}

/** The file with the CAs of this system, if it has one. */
export const systemCaFile = (): string | undefined =>
  [environment['SSL_CERT_FILE'] ?? '', ...SYSTEM_FILES].find((file) => existsSync(file));

/** On a system without any, the CAs bundled with Node.js. */
function systemCas(): string[] {
  const file = systemCaFile();
  const extra = environment['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...(file === undefined ? rootCertificates : readCertificates('SSL_CERT_FILE', file)),
    ...(extra === '' ? [] : readCertificates('NODE_EXTRA_CA_CERTS', extra)),
  ];
}

/** The client certificate, if the server requires one. */
function readIdentity({ sslcert, sslkey }: TlsParameters): SecureContextOptions {
  if ((sslcert === '') !== (sslkey === '')) throw new DatabaseTlsError('needs sslcert and sslkey together');
  if (sslcert === '') return {};
  return { cert: readCertificates('sslcert', sslcert), key: readFile('sslkey', sslkey) };
}

function readCertificates(name: string, file: string): string[] {
  const text = readFile(name, file);
  // Node.js takes any text, then trusts no CA.
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new DatabaseTlsError(`has the ${name} ${file}, which is not a PEM certificate`);
  }
  return [text];
}

function readFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseTlsError(`has the ${name} ${file}, which cannot be read (${code})`);
  }
}

function toSecureContext(options: SecureContextOptions): SecureContext {
  try {
    return createSecureContext(options);
  } catch (error) {
    throw new DatabaseTlsError(`has certificates or a key that cannot be used: ${String(error)}`);
  }
}

const hostOf = ({ hostname, searchParams }: URL): string =>
  searchParams.get('host') ?? decodeURIComponent(hostname);

/** libpq uses no TLS there. */
const isSocket = (host: string): boolean => host === '' || host.startsWith('/');

const isThisMachine = (host: string): boolean =>
  isSocket(host) || /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);

/** How connections to a database are protected, for operators, and whether to warn. */
export function describeProtection(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const { sslmode, sslrootcert } = tlsParametersOf(url);
  const host = hostOf(url);
  if (sslmode === NO_VERIFY) {
    const text = 'sslmode=no-verify means require, which verifies no certificate: write sslmode=verify-full';
    return { text, needsWarning: true };
  }
  if (isSocket(host) || (sslmode === '' && isThisMachine(host))) {
    return { text: 'the database is on this machine', needsWarning: false };
  }
  if (sslmode === '') {
    const text = `connections to the database at ${host} are not encrypted: write sslmode=verify-full, or sslmode=disable if the whole network is trusted`;
    return { text, needsWarning: true };
  }
  if (sslmode === 'disable') return { text: 'no TLS (sslmode=disable)', needsWarning: false };
  const isVerified = sslmode !== 'require' || sslrootcert !== '';
  const text = `TLS (sslmode=${sslmode}), ${isVerified ? 'with' : 'without'} verification of the server`;
  return { text, needsWarning: false };
}
