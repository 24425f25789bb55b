import { systemCaFile } from '../config/database-tls.js';

/** The parameters of a connection URI that psql 15 understands: PostgreSQL's documentation, section 34.1.2. */
const LIBPQ_PARAMETERS: ReadonlySet<string> = new Set(
  (
    'host hostaddr port dbname user password passfile channel_binding connect_timeout client_encoding ' +
    'options application_name fallback_application_name keepalives keepalives_idle keepalives_interval ' +
    'keepalives_count tcp_user_timeout gssencmode sslmode sslcompression sslcert sslkey sslpassword ' +
    'sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version ' +
    'krbsrvname gsslib service target_session_attrs'
  ).split(' '),
);

/** The same connection for psql and other libpq programs, which reject parameters of other drivers and Prisma. */
export function toLibpqUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const parameters = url.searchParams;
  const mode = parameters.get('sslmode');
  if (mode === 'no-verify') parameters.set('sslmode', 'require');
  // libpq's own default is a file in the home directory, and psql 15 does not know `system`.
  if (mode === 'verify-full' && ['', 'system'].includes(parameters.get('sslrootcert') ?? '')) {
    parameters.set('sslrootcert', systemCaFile() ?? 'system');
  }
  for (const name of [...parameters.keys()]) {
    if (!LIBPQ_PARAMETERS.has(name)) parameters.delete(name);
  }
  // libpq reads a plus sign as itself, and a space only as %20.
  url.search = parameters.toString().replaceAll('+', '%20');
  return url.href;
}

/** The URL without its password, for an argument that every user of the machine can read, and the password for `PGPASSWORD`. */
export function splitPassword(libpqUrl: string): { readonly url: string; readonly password: string } {
  const url = new URL(libpqUrl);
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
  url.password = '';
  url.searchParams.delete('password');
  url.search = url.searchParams.toString().replaceAll('+', '%20');
  return { url: url.href, password };
}
